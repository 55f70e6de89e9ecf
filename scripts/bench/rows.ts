/** Rows by table, as the database names its columns; times are ISO 8601. */
export type Rows = Record<string, Record<string, string | number | boolean | null>[]>
