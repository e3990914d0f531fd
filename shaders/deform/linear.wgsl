// Linear blend skinning.
