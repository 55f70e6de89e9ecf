/**
 * gzip for public responses (RFC 9110 §8.4.1.3, §12.5.3). Responses to a caller are never compressed: their length would
 * disclose secrets to someone who can add text to them (BREACH).
 */

/** Shorter bodies fit into one packet. */
export const COMPRESSED_FROM_BYTES = 1_024

export function acceptsGzip(headers: Headers): boolean {
  const accepted = headers.get('accept-encoding')
  if (accepted === null) return false
  return accepted.split(',').some(item => {
    const [coding = '', quality = ''] = item.split(';').map(part => part.trim().toLowerCase())
    return (coding === 'gzip' || coding === '*') && !/^q=0(\.0{1,3})?$/.test(quality)
  })
}
