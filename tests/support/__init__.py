"""What several tests share: small clips, the command as a process, FFmpeg as an outside voice."""
