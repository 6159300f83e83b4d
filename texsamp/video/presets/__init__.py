"""Named settings of the video filters, as data with the provenance of every number."""
