/** Refuses statements of tests on PostgreSQL that Citus would refuse, so that no Citus is needed to notice one. */

/** What Citus 13.2 refuses on a distributed schema, by whole statements: sources contain parts of them. */
export const REFUSED_BY_CITUS: { what: string; why: string; pattern: RegExp; example: string }[] = [
  {
    what: 'subselect in INSERT … VALUES',
    why: 'refused in the values, in ON CONFLICT and in RETURNING: INSERT … SELECT',
    pattern: /\binsert into [^;]*?\bvalues\b[^;]*\(\s*select\b/i,
    example: 'insert into t (a) values (1) on conflict (a) do update set b = (select max(a) from t)',
  },
  {
    what: 'subselect in RETURNING of an INSERT',
    why: 'refused: it is read before',
    pattern: /\binsert into [^;]*\breturning\b[^;]*\(\s*select\b/i,
    example: 'insert into t (a) select 1 returning (select max(a) from t)',
  },
  {
    what: 'INSERT whose SELECT reads a table and calls a stable function',
    why: 'Citus adds a condition without its column: what the function gives is joined in a CTE',
    pattern:
      /\binsert into [^;]*?\bselect\b[^;]*(\bnow\(\)|json_to_recordset\([^;]*\b(join|exists)\b|\b(join|exists)\b[^;]*json_to_recordset\()/i,
    example: 'INSERT INTO t SELECT a FROM json_to_recordset($1) AS given(a int) JOIN u USING (a)',
  },
]

/** What of it an executed statement has. */
export const findRefusedByCitus = (statement: string): string[] =>
  REFUSED_BY_CITUS.filter(({ pattern }) => pattern.test(statement)).map(({ what }) => what)

const portable = new Set<string>()

/** @throws Error that names what Citus refuses */
export function requirePortable(statement: string): void {
  if (portable.has(statement)) return
  const found = findRefusedByCitus(statement)
  if (found.length > 0) throw new Error(`Citus refuses this: ${found.join(', ')}: ${statement}`)
  portable.add(statement)
}
