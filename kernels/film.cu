// Film detection.
#include "film.h"

FN void film_variances_u8_tile(const FilmParams& p, s32 x, s32 y) { film_tile<u8>(p, x, y); }
KERNEL(film_variances_u8, FilmParams)

FN void film_variances_u16_tile(const FilmParams& p, s32 x, s32 y) { film_tile<u16>(p, x, y); }
KERNEL(film_variances_u16, FilmParams)
