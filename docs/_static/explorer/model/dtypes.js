// The dtypes of JAX's arrays that XLA can multiply on CPU devices, and the bits that an element takes there: int4 and the
// like are packed. tests/explorer compares the list with JAX's.

/** @type {Readonly<Record<string, number>>} bits an element, by dtype, the usual ones first */
export const DTYPE_BITS = Object.freeze({
  float32: 32,
  bfloat16: 16,
  float16: 16,
  float64: 64,
  int32: 32,
  int16: 16,
  int8: 8,
  int64: 64,
  uint32: 32,
  uint16: 16,
  uint8: 8,
  uint64: 64,
  bool: 8,
  complex64: 64,
  complex128: 128,
  float8_e4m3fn: 8,
  float8_e5m2: 8,
  float8_e4m3b11fnuz: 8,
  float8_e4m3fnuz: 8,
  float8_e5m2fnuz: 8,
  float8_e4m3: 8,
  float8_e3m4: 8,
  float8_e8m0fnu: 8,
  float4_e2m1fn: 4,
  int4: 4,
  uint4: 4,
});

/** Whether JAX makes such arrays only with `jax_enable_x64`. */
export const needsX64 = (/** @type {string} */ dtype) =>
  ["float64", "int64", "uint64", "complex128"].includes(dtype);
