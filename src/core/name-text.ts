/** Rules for names of people, which clients show next to other text. */

/** Bidirectional control characters (UAX #9 §2) reorder the surrounding text. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** At least one visible character. */
const VISIBLE = /[^\p{C}\p{Z}]/u

export const isVisible = (text: string): boolean => VISIBLE.test(text)

export const withoutBidiControls = (text: string): string => text.replace(BIDI_CONTROLS, '')
