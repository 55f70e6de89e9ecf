/** Limits of files that are uploaded for imports. */
const MEBIBYTE = 1024 * 1024

/** Size of each part except the last one. */
export const PART_BYTES = MEBIBYTE / 2
/** About 400,000 fans. */
export const MAX_FILE_BYTES = 64 * MEBIBYTE
/** A catalogue is checked as a whole, in memory. */
export const MAX_CATALOGUE_BYTES = 2 * MEBIBYTE
