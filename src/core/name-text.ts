/** Text that names a person, wherever it comes from: a page shows it beside other text. */

/** Bidirectional controls (UAX #9 §2): they reorder the text around them. */
const BIDI_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** At least one character that can be seen. */
const VISIBLE = /[^\p{C}\p{Z}]/u

export const isVisible = (text: string): boolean => VISIBLE.test(text)

export const withoutBidiControls = (text: string): string => text.replace(BIDI_CONTROLS, '')
