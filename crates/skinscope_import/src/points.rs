//! The vertices of meshes that other programs write: PLY, as text or binary with the low byte first, and OBJ.
//!
//! Only where the vertices are is read, in their order; faces, normals and all else is passed over.

use std::path::Path;

use glam::DVec3;

/// Reads a number from its bytes.
type ReadNumber = fn(&[u8]) -> Option<f64>;

/// The most bytes of a file that are read.
const MOST_BYTES: u64 = 4 << 30;
/// The most bytes of the head of a PLY file.
const MOST_HEAD: usize = 1 << 16;

/// The endings of files that [`read_points`] reads.
pub const POINT_ENDINGS: [&str; 2] = ["ply", "obj"];

/// Reads where the vertices of a PLY or OBJ file are, in their order; the ending says which it is.
///
/// # Errors
/// The file cannot be read, or is not what its ending says; the text says why.
pub fn read_points(path: &Path) -> Result<Vec<DVec3>, String> {
    let size = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MOST_BYTES {
        return Err(format!("more than {MOST_BYTES} bytes are too many for a mesh"));
    }
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("ply") => ply(&bytes),
        Some("obj") => obj(&bytes),
        _ => Err("its name must end in .ply or .obj".to_owned()),
    }
}

/// Reads the lines `v X Y Z` of an OBJ file.
fn obj(bytes: &[u8]) -> Result<Vec<DVec3>, String> {
    let text = String::from_utf8_lossy(bytes);
    let mut out = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        if words.next() != Some("v") {
            continue;
        }
        let point = point(&mut words).ok_or_else(|| format!("line {}: expected v X Y Z", number + 1))?;
        out.push(point);
    }
    if out.is_empty() { Err("it has no vertices".to_owned()) } else { Ok(out) }
}

/// Reads three finite numbers.
fn point<'w>(words: &mut impl Iterator<Item = &'w str>) -> Option<DVec3> {
    let mut number = || words.next()?.parse().ok().filter(|number: &f64| number.is_finite());
    Some(DVec3::new(number()?, number()?, number()?))
}

/// A type of PLY: how many bytes it has, and what number they are.
#[derive(Clone, Copy, Debug)]
struct Scalar {
    bytes: usize,
    read: fn(&[u8]) -> Option<f64>,
}

/// Returns the first bytes of a number as an array.
fn array<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.first_chunk::<N>().copied()
}

impl Scalar {
    fn named(name: &str) -> Option<Self> {
        let (bytes, read): (usize, ReadNumber) = match name {
            "char" | "int8" => (1, |b| Some(f64::from(i8::from_le_bytes(array(b)?)))),
            "uchar" | "uint8" => (1, |b| Some(f64::from(*b.first()?))),
            "short" | "int16" => (2, |b| Some(f64::from(i16::from_le_bytes(array(b)?)))),
            "ushort" | "uint16" => (2, |b| Some(f64::from(u16::from_le_bytes(array(b)?)))),
            "int" | "int32" => (4, |b| Some(f64::from(i32::from_le_bytes(array(b)?)))),
            "uint" | "uint32" => (4, |b| Some(f64::from(u32::from_le_bytes(array(b)?)))),
            "float" | "float32" => (4, |b| Some(f64::from(f32::from_le_bytes(array(b)?)))),
            "double" | "float64" => (8, |b| Some(f64::from_le_bytes(array(b)?))),
            _ => return None,
        };
        Some(Self { bytes, read })
    }
}

/// A property of an element.
#[derive(Clone, Debug)]
struct Property {
    name: String,
    /// The type of the length of a list; `None` for a single number.
    length: Option<Scalar>,
    scalar: Scalar,
}

/// A list of things of a PLY file.
#[derive(Clone, Debug)]
struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

/// Reads the vertices of a PLY file.
fn ply(bytes: &[u8]) -> Result<Vec<DVec3>, String> {
    let (is_text, elements, body) = head(bytes)?;
    let vertices = elements.iter().find(|element| element.name == "vertex" && element.count > 0);
    let vertices = vertices.ok_or("it has no vertices")?;
    let place = |axis: &str| vertices.properties.iter().position(|p| p.name == axis && p.length.is_none());
    let missing = || "its vertices have no x, y and z".to_owned();
    let at = [place("x").ok_or_else(missing)?, place("y").ok_or_else(missing)?, place("z").ok_or_else(missing)?];
    let mut reader = Reader { body, is_text, line: 0 };
    let mut numbers = Vec::new();
    for element in &elements {
        let is_wanted = element.name == "vertex";
        // No file has more things than bytes; memory is taken as they come.
        let mut out = Vec::new();
        for number in 0..element.count {
            let cut_off = || format!("it ends within {} {number} of {}", element.name, element.count);
            reader.read(element, &mut numbers).ok_or_else(cut_off)?;
            if is_wanted {
                let point = DVec3::from_array(at.map(|at| numbers[at]));
                if !point.is_finite() {
                    return Err(format!("vertex {number} is not finite"));
                }
                out.push(point);
            }
        }
        if is_wanted {
            return Ok(out);
        }
    }
    Err("it has no vertices".to_owned())
}

/// Reads the head of a PLY file: whether it is text, its elements, and what comes after.
fn head(bytes: &[u8]) -> Result<(bool, Vec<Element>, &[u8]), String> {
    let mut rest = bytes;
    let (mut elements, mut is_text): (Vec<Element>, Option<bool>) = (Vec::new(), None);
    for number in 0.. {
        let end = rest.iter().take(MOST_HEAD).position(|byte| *byte == b'\n').ok_or("it is no PLY file")?;
        let line = String::from_utf8_lossy(&rest[..end]).trim().to_owned();
        rest = &rest[end + 1..];
        if bytes.len() - rest.len() > MOST_HEAD {
            break;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let wrong = || format!("line {}: “{line}” is not understood", number + 1);
        match words[..] {
            ["ply"] if number == 0 => {}
            _ if number == 0 => return Err("it is no PLY file".to_owned()),
            ["format", "ascii", _] => is_text = Some(true),
            ["format", "binary_little_endian", _] => is_text = Some(false),
            ["format", other, ..] => return Err(format!("its format {other} is not read")),
            ["comment" | "obj_info", ..] | [] => {}
            ["element", name, count] => {
                let count = count.parse().map_err(|_| wrong())?;
                elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
            }
            ["property", "list", length, scalar, name] => {
                let property = Property {
                    name: name.to_owned(),
                    length: Some(Scalar::named(length).ok_or_else(wrong)?),
                    scalar: Scalar::named(scalar).ok_or_else(wrong)?,
                };
                elements.last_mut().ok_or_else(wrong)?.properties.push(property);
            }
            ["property", scalar, name] => {
                let scalar = Scalar::named(scalar).ok_or_else(wrong)?;
                let property = Property { name: name.to_owned(), length: None, scalar };
                elements.last_mut().ok_or_else(wrong)?.properties.push(property);
            }
            ["end_header"] => return Ok((is_text.ok_or("its format is not said")?, elements, rest)),
            _ => return Err(wrong()),
        }
    }
    Err("its head does not end".to_owned())
}

/// Reads what comes after the head.
struct Reader<'b> {
    body: &'b [u8],
    is_text: bool,
    line: usize,
}

impl Reader<'_> {
    /// Reads one thing: the number of each property, 0 in place of lists. Returns `None` where the file ends, or what is there is no number.
    fn read(&mut self, element: &Element, out: &mut Vec<f64>) -> Option<()> {
        out.clear();
        if self.is_text {
            return self.read_line(element, out);
        }
        for property in &element.properties {
            let first = property.length.unwrap_or(property.scalar);
            let number = (first.read)(self.take(first.bytes)?)?;
            match property.length {
                None => out.push(number),
                Some(_) => {
                    self.take((number.max(0.0) as usize).checked_mul(property.scalar.bytes)?)?;
                    out.push(0.0);
                }
            }
        }
        Some(())
    }

    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let (taken, rest) = self.body.split_at_checked(count)?;
        self.body = rest;
        Some(taken)
    }

    fn read_line(&mut self, element: &Element, out: &mut Vec<f64>) -> Option<()> {
        let line = loop {
            if self.body.is_empty() {
                return None;
            }
            let end = self.body.iter().position(|byte| *byte == b'\n').unwrap_or(self.body.len());
            let line = std::str::from_utf8(&self.body[..end]).ok()?.trim();
            self.body = self.body.get(end + 1..).unwrap_or_default();
            self.line += 1;
            if !line.is_empty() {
                break line;
            }
        };
        let mut words = line.split_whitespace();
        for property in &element.properties {
            let number: f64 = words.next()?.parse().ok()?;
            match property.length {
                None => out.push(number),
                Some(_) => {
                    (0..number.max(0.0) as usize).try_for_each(|_| words.next().map(|_| ()))?;
                    out.push(0.0);
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTS: [DVec3; 2] = [DVec3::new(1.0, -2.5, 3.0), DVec3::new(0.0, 0.25, -7.0)];

    #[test]
    fn text_is_read_whatever_stands_beside_the_places() {
        let text = "ply\r\nformat ascii 1.0\ncomment by hand\nelement face 1\nproperty list uchar int vertex_indices\n\
            element vertex 2\nproperty uchar red\nproperty float x\nproperty list uchar float more\nproperty double y\n\
            property float z\nend_header\n3 0 1 0\n\n9 1 2 5 6 -2.5 3\n8 0 0 0.25 -7\n";
        assert_eq!(ply(text.as_bytes()).unwrap(), POINTS);
        let text = "# by hand\nv 1 -2.5 3\nvn 0 0 1\n v 0 .25 -7 1 0 0\nf 1 2 1\n";
        assert_eq!(obj(text.as_bytes()).unwrap(), POINTS);
    }

    #[test]
    fn bytes_are_read_whatever_stands_beside_the_places() {
        let mut file = b"ply\nformat binary_little_endian 1.0\nelement strange 1\nproperty list ushort short n\n\
            element vertex 2\nproperty double z\nproperty uchar red\nproperty float x\nproperty int y4\nproperty float y\n\
            end_header\n"
            .to_vec();
        file.extend([2, 0, 9, 9, 9, 9]);
        for point in POINTS {
            file.extend(point.z.to_le_bytes());
            file.push(7);
            file.extend((point.x as f32).to_le_bytes());
            file.extend(5_i32.to_le_bytes());
            file.extend((point.y as f32).to_le_bytes());
        }
        assert_eq!(ply(&file).unwrap(), POINTS);
        for length in 0..file.len() {
            assert!(ply(&file[..length]).is_err(), "cut off at {length}");
        }
    }

    #[test]
    fn what_is_no_mesh_is_refused_with_a_reason() {
        let head = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n";
        for (text, why) in [
            ("", "no PLY"),
            ("solid\n", "no PLY"),
            ("ply\nformat binary_big_endian 1.0\nend_header\n", "binary_big_endian"),
            ("ply\nend_header\n", "format is not said"),
            ("ply\nformat ascii 1.0\nend_header\n", "no vertices"),
            ("ply\nformat ascii 1.0\nproperty float x\nend_header\n", "line 3"),
            (&format!("{head}end_header\n1 2\n"), "no x, y and z"),
            (&format!("{head}property float z\nend_header\n1 2 nan\n"), "not finite"),
            (&format!("{head}property float z\nend_header\n1 2 x\n"), "ends within"),
            (&format!("{head}property huge z\nend_header\n1 2 3\n"), "not understood"),
            (
                "ply\nformat ascii 1.0\nelement vertex 99999999999999\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
                "ends within",
            ),
        ] {
            let refused = ply(text.as_bytes()).unwrap_err();
            assert!(refused.contains(why), "{text}: {refused}");
        }
        assert!(obj(b"f 1 2 3\n").is_err() && obj(b"v 1 2\n").unwrap_err().contains("line 1"));
        assert!(read_points(Path::new("/none/at all.ply")).is_err());
    }
}
