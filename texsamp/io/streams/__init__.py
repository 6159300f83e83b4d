"""What a container holds beside its video: sound, subtitles, attachments, carried over or converted."""
