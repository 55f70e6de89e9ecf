/** `off` by the flag of an entry; otherwise by its start and end, which are its schedule. */
export const ENTRY_STATES = ['live', 'scheduled', 'over', 'off'] as const
export type EntryState = (typeof ENTRY_STATES)[number]
