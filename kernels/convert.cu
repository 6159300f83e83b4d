// From one pixel layout to another, by the types of their elements.
#include "convert.h"

KERNEL_OF_PLANES(convert_u8_u8, ConvertParams, 2, convert_tile<u8, u8>)
KERNEL_OF_PLANES(convert_u8_u16, ConvertParams, 2, convert_tile<u8, u16>)
KERNEL_OF_PLANES(convert_u16_u8, ConvertParams, 2, convert_tile<u16, u8>)
KERNEL_OF_PLANES(convert_u16_u16, ConvertParams, 2, convert_tile<u16, u16>)
