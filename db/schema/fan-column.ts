/**
 * Next to its tables, a file of `db/schema/` declares what happens to the rows of a fan: for each column that points to a fan,
 * which is a foreign key to `users`, or is named `userId` or `subject`. `test/fan/account/fan-data.test.ts` fails for a column
 * without a declaration, and holds the export, the erasure and the merge to what is declared.
 */
interface FanColumn<Column> {
  /** The member of the document of `export-user` that has the rows. Null: a comment says why it needs none. */
  export: string | null
  /** What an erasure does with the rows. */
  erasure: Erasure<Column>
  /** What a merge of the fan into another one does with the rows. */
  merge: Merge<Column>
}

type Erasure<Column> =
  /** They stay as they are, since they identify no person without the fan's record. */
  | 'keep'
  | 'delete'
  /** They stay, but these columns become null, or get another value. */
  | { clear?: Column[]; replace?: Column[] }

export type Merge<Column> =
  /** They stay with the merged record, whose history they are: export and erasure of the fan include it. */
  | 'stay'
  | 'delete'
  | 'move'
  /** They move, except where the other fan has a row with the same values of these columns; none: any row. */
  | { moveUnless: Column[]; otherwise: 'stay' | 'delete' }
  /** A function of the room decides row by row, by this rule. */
  | { rule: string }

type ColumnOf<Table> = Table extends { $inferSelect: infer Row } ? keyof Row & string : never

/** The declarations of a file, by table and column: `satisfies FanData<ReturnType<typeof defineRewardsTables>>`. */
export type FanData<Tables> = {
  [Name in keyof Tables]?: { [Column in ColumnOf<Tables[Name]>]?: FanColumn<ColumnOf<Tables[Name]>> }
}
