/** A merge by its definition: of the heads of all lists, the latest; of equal ones, that of the first list. */
export function mergedByDefinition<Row extends { at: Date }>(lists: Row[][]): Row[] {
  const rest = lists.map(list => [...list])
  const rows: Row[] = []
  for (;;) {
    const heads = rest.filter(list => list.length > 0)
    if (heads.length === 0) return rows
    const latest = heads.reduce((best, list) => ((list[0]?.at ?? 0) > (best[0]?.at ?? 0) ? list : best))
    rows.push(...latest.splice(0, 1))
  }
}
