/** Capital letters. */

/** The text with a capital letter. */
export const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** For a fan, a member of staff or a team without a picture. */
export const initialOf = (name: string) => ([...name][0] ?? '?').toUpperCase()
