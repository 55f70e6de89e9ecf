/** The address of a picture: a path of the API's origin, as catalogues name pictures. */

/** The address of a file. Its id is the SHA-256 of its bytes, in lower-case hex. */
export const addressOf = (fileId: string): string => `/uploads/${nameOf(fileId)}`

/** In the store. */
export const nameOf = (fileId: string): string => `${fileId}.webp`

export const UPLOADED = /^\/uploads\/([0-9a-f]{64})\.webp$/

/** The file that a URL or a path names; null if its path is not the address of a picture. */
export function fileIdIn(url: string): string | null {
  const path = url.startsWith('/') ? url : (URL.parse(url)?.pathname ?? '')
  // A proxy may serve the API under a path.
  return UPLOADED.exec(path.slice(Math.max(0, path.lastIndexOf('/uploads/'))))?.[1] ?? null
}
