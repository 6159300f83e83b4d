"""Film mode: which fields of interlaced video belong to one picture of a film (seed 003:1433-1526)."""
