// Film detection.
#include "film.h"

KERNEL(film_variances_u8, FilmParams, film_tile<u8>)
KERNEL(film_variances_u16, FilmParams, film_tile<u16>)
