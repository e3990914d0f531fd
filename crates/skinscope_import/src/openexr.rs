//! Reads pictures in the OpenEXR format: the colours of a layer, or its luminance.
//!
//! A file may have many layers: as parts of their own, or as channels whose names begin with that of the layer, such as
//! `ViewLayer.Combined.R`. The colours without a name are taken, else those of the layer whose name says that it is the whole picture, else
//! those of the first layer.

use std::io::{Read, Seek};

use exr::meta::attribute::{ChannelDescription, Text};
use exr::meta::header::Header;
use exr::prelude::{ReadChannels, ReadLayers, ReadSpecificChannel, Vec2, read as reading};
use image::Rgb32FImage;

use super::ImportError;
use super::environment_checks::{Checks, invalid};

/// A picture, and the name of the layer that it is of; empty where the channels have no name of a layer.
pub(super) struct Picture {
    pub pixels: Rgb32FImage,
    pub layer: String,
}

/// The channels that make a picture.
enum Channels {
    Colours([Text; 3]),
    /// One channel that says how bright a pixel is.
    Grey(Text),
}

/// Words in the names of layers that hold the whole picture, not a part of its light.
const WHOLE: [&str; 6] = ["combined", "composite", "beauty", "rgba", "rgb", "main"];

/// Reads the picture of a file.
pub(super) fn read(file: impl Read + Seek, checks: &Checks) -> Result<Picture, ImportError> {
    let broken = |error: exr::error::Error| checks.broken(&error.to_string());
    let reader = exr::block::read(file, false).map_err(broken)?;
    let Some((header, layer, channels)) = choose(reader.headers()) else {
        let expected = "channels R, G and B, or Y, of a layer that is not deep";
        return Err(invalid(checks.name, expected, names(reader.headers())));
    };
    if header.channels.list.iter().any(|channel| channel.sampling != Vec2(1, 1)) {
        let expected = "channels with a number for each pixel";
        return Err(invalid(checks.name, expected, "channels of fewer numbers (luminance and chroma)"));
    }
    let window = header.shared_attributes.display_window;
    let [width, height] =
        [window.size.width(), window.size.height()].map(|side| u32::try_from(side).unwrap_or(u32::MAX));
    checks.pixels(header.layer_size.width() as u64, header.layer_size.height() as u64)?;
    checks.size(width, height)?;
    // What lies outside of the window is not seen, and what no pixel of the layer covers is black.
    let offset = header.own_attributes.layer_position - window.position;
    let place = move |at: Vec2<usize>| -> Option<(u32, u32)> {
        let [x, y] = [at.x() as i64 + i64::from(offset.x()), at.y() as i64 + i64::from(offset.y())];
        let inside = |at: i64, size: u32| u32::try_from(at).ok().filter(|at| *at < size);
        Some((inside(x, width)?, inside(y, height)?))
    };
    checks.goes_on()?;
    let put = move |picture: &mut Rgb32FImage, at: Vec2<usize>, pixel: [f32; 3]| {
        if let Some((x, y)) = place(at) {
            picture.put_pixel(x, y, image::Rgb(pixel));
        }
    };
    let flat = reading().no_deep_data().largest_resolution_level();
    let pixels = match channels {
        Channels::Colours([red, green, blue]) => {
            let colours = flat.specific_channels().required(red).required(green).required(blue).collect_pixels(
                move |_, _| Rgb32FImage::new(width, height),
                move |picture, at, (red, green, blue): (f32, f32, f32)| put(picture, at, [red, green, blue]),
            );
            let image = colours.first_valid_layer().all_attributes().from_chunks(reader).map_err(broken)?;
            image.layer_data.channel_data.pixels
        }
        Channels::Grey(grey) => {
            let greys = flat.specific_channels().required(grey).collect_pixels(
                move |_, _| Rgb32FImage::new(width, height),
                move |picture, at, (grey,): (f32,)| put(picture, at, [grey; 3]),
            );
            let image = greys.first_valid_layer().all_attributes().from_chunks(reader).map_err(broken)?;
            image.layer_data.channel_data.pixels
        }
    };
    Ok(Picture { pixels, layer })
}

/// Returns the part of a file to read, the name of its layer, and the channels.
fn choose(headers: &[Header]) -> Option<(&Header, String, Channels)> {
    let mut best: Option<(usize, (&Header, String, Channels))> = None;
    for header in headers.iter().filter(|header| !header.deep) {
        for (layer, channels) in layers(&header.channels.list) {
            let find = |names: &[&str]| {
                let own = |channel: &&&ChannelDescription| names.contains(&parts(channel).1.to_lowercase().as_str());
                channels.iter().find(own).map(|channel| channel.name.clone())
            };
            let is_whole = WHOLE.iter().any(|word| layer.to_lowercase().split('.').any(|part| part == *word));
            let colours = [["r", "red"], ["g", "green"], ["b", "blue"]].map(|names| find(&names));
            let grey = find(&["y"]).filter(|_| find(&["x", "z"]).is_none());
            let alone = || {
                let is_picture = |channel: &&&ChannelDescription| {
                    !["a", "alpha", "z", "zback", "id"].contains(&parts(channel).1.to_lowercase().as_str())
                };
                let mut pictures = channels.iter().filter(is_picture);
                let only = pictures.next().filter(|_| pictures.next().is_none() && headers.len() == 1);
                only.filter(|_| channels.len() == header.channels.list.len()).map(|channel| channel.name.clone())
            };
            let rank = match (&colours, &grey) {
                ([Some(_), Some(_), Some(_)], _) if layer.is_empty() => 0,
                ([Some(_), Some(_), Some(_)], _) if is_whole => 1,
                ([Some(_), Some(_), Some(_)], _) => 2,
                (_, Some(_)) if layer.is_empty() => 3,
                (_, Some(_)) => 4,
                _ => 5,
            };
            let channels = match (colours, grey) {
                ([Some(red), Some(green), Some(blue)], _) => Channels::Colours([red, green, blue]),
                (_, Some(grey)) => Channels::Grey(grey),
                _ => match alone() {
                    Some(only) => Channels::Grey(only),
                    None => continue,
                },
            };
            if best.as_ref().is_none_or(|(before, _)| rank < *before) {
                best = Some((rank, (header, layer, channels)));
            }
        }
    }
    best.map(|(_, best)| best)
}

/// Splits the name of a channel into that of its layer, which may be empty, and its own.
fn parts(channel: &ChannelDescription) -> (String, String) {
    let name = channel.name.to_string();
    match name.rsplit_once('.') {
        Some((layer, own)) => (layer.to_owned(), own.to_owned()),
        None => (String::new(), name),
    }
}

/// Returns the channels of each layer, in the order of the file.
fn layers(channels: &[ChannelDescription]) -> Vec<(String, Vec<&ChannelDescription>)> {
    let mut out: Vec<(String, Vec<&ChannelDescription>)> = Vec::new();
    for channel in channels {
        let layer = parts(channel).0;
        match out.iter_mut().find(|(known, _)| *known == layer) {
            Some((_, channels)) => channels.push(channel),
            None => out.push((layer, vec![channel])),
        }
    }
    out
}

/// Returns the names of the first channels of a file, for an error.
fn names(headers: &[Header]) -> String {
    const MOST: usize = 12;
    let all: Vec<String> =
        headers.iter().flat_map(|header| &header.channels.list).map(|channel| channel.name.to_string()).collect();
    let more = if all.len() > MOST { ", …" } else { "" };
    match all.is_empty() {
        true => "no channels".to_owned(),
        false => format!("{}{more}", all[..all.len().min(MOST)].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use exr::prelude::{AnyChannel, AnyChannels, Encoding, FlatSamples, Image, Layer, LayerAttributes, WritableImage};

    use super::*;

    /// The bytes of a file of parts with these channels, each of one number everywhere.
    fn file(parts: &[&[(&str, f32)]]) -> Vec<u8> {
        let layer = |(number, channels): (usize, &&[(&str, f32)])| {
            let channel = |(name, value): &(&str, f32)| AnyChannel::new(*name, FlatSamples::F32(vec![*value; 8]));
            let named =
                LayerAttributes { layer_name: Some(Text::from(&*format!("part {number}"))), ..Default::default() };
            let channels = AnyChannels::sort(channels.iter().map(channel).collect());
            Layer::new((4, 2), named, Encoding::FAST_LOSSLESS, channels)
        };
        let layers: Vec<_> = parts.iter().enumerate().map(layer).collect();
        let attributes = exr::meta::header::ImageAttributes::with_size((4, 2));
        let mut out = Cursor::new(Vec::new());
        Image::from_layers(attributes, layers).write().to_buffered(&mut out).unwrap();
        out.into_inner()
    }

    fn read_all(bytes: &[u8]) -> Result<(String, [f32; 3]), String> {
        let checks = Checks { name: "a.exr", goes_on: &|| Ok(()) };
        let picture = read(Cursor::new(bytes), &checks).map_err(|error| error.to_string())?;
        Ok((picture.layer, picture.pixels.get_pixel(3, 1).0))
    }

    #[test]
    fn the_whole_picture_is_found_among_layers_and_luminance_is_grey() {
        let plain = [("R", 1.0), ("G", 2.0), ("B", 3.0), ("A", 9.0)];
        let of = |layer: &'static str, by: f32| ["R", "G", "B"].map(|c| (format!("{layer}.{c}"), by));
        let diffuse = of("View.Diffuse", 4.0);
        let combined = of("View.Combined", 5.0);
        let named: Vec<(&str, f32)> = diffuse.iter().chain(&combined).map(|(name, by)| (&**name, *by)).collect();
        let only: Vec<(&str, f32)> = diffuse.iter().map(|(name, by)| (&**name, *by)).collect();
        for (parts, layer, want) in [
            (vec![&plain[..]], "", [1.0, 2.0, 3.0]),
            (vec![&[&named[..], &plain].concat()[..]], "", [1.0, 2.0, 3.0]),
            (vec![&named[..]], "View.Combined", [5.0; 3]),
            (vec![&only[..]], "View.Diffuse", [4.0; 3]),
            (vec![&[("Z", 7.0)][..], &named[..]], "View.Combined", [5.0; 3]),
            (vec![&[("Y", 0.5)][..]], "", [0.5; 3]),
            (vec![&[("Y", 0.5), ("A", 1.0)][..]], "", [0.5; 3]),
            (vec![&[("sky.Y", 0.5)][..]], "sky", [0.5; 3]),
            (vec![&[("luminance", 0.25)][..]], "", [0.25; 3]),
            (vec![&[("red", 1.0), ("green", 2.0), ("blue", 3.0)][..]], "", [1.0, 2.0, 3.0]),
        ] {
            assert_eq!(read_all(&file(&parts)), Ok((layer.to_owned(), want)), "{parts:?}");
        }
        for channels in [&[("Z", 1.0)][..], &[("P.X", 1.0), ("P.Y", 1.0), ("P.Z", 1.0)], &[("u", 1.0), ("v", 1.0)]] {
            let said = read_all(&file(&[channels])).unwrap_err();
            assert!(said.contains("channels R, G and B, or Y") && said.contains(channels[0].0), "{said}");
        }
    }
}
