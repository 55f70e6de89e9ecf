/**
 * Each file of `db/schema/` declares, next to its tables, what happens to the rows of a fan. It needs a declaration for each
 * column that points to a fan: a foreign key to `users`, or a column named `userId` or `subject`.
 * `test/fan/account/fan-data.test.ts` fails for a column without a declaration, and checks export, erasure and merge against
 * the declarations.
 */
interface FanColumn<Column> {
  /**
   * The member of the `export-user` document that contains the rows. Null: a comment says why the export does not need them.
   */
  export: string | null
  /** What an erasure does with the rows. */
  erasure: Erasure<Column>
  /** What a merge of the fan into another one does with the rows. */
  merge: Merge<Column>
}

type Erasure<Column> =
  /** The rows stay as they are, since they identify no person without the fan's record. */
  | 'keep'
  | 'delete'
  /** The rows stay, but these columns become null, or get another value. */
  | { clear?: Column[]; replace?: Column[] }

export type Merge<Column> =
  /** The rows stay with the merged record as its history. Export and erasure of the fan include that record. */
  | 'stay'
  | 'delete'
  | 'move'
  /**
   * The rows move, unless the other fan has a row with the same values in these columns. An empty list: unless the other fan
   * has any row.
   */
  | { moveUnless: Column[]; otherwise: 'stay' | 'delete' }
  /** A function of the room decides for each row, by this rule. */
  | { rule: string }

type ColumnOf<Table> = Table extends { $inferSelect: infer Row } ? keyof Row & string : never

/** The declarations of a file, by table and column: `satisfies FanData<ReturnType<typeof defineRewardsTables>>`. */
export type FanData<Tables> = {
  [Name in keyof Tables]?: { [Column in ColumnOf<Tables[Name]>]?: FanColumn<ColumnOf<Tables[Name]>> }
}
