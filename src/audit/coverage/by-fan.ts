/** Audits rows that come by fan: yields the audit of each fan, and the number of its rows. */
export async function* auditByFan<
  Row extends { userId: string | null },
  Audit extends { add(row: Row): void },
>(pages: AsyncIterable<Row[]>, create: (userId: string) => Audit) {
  let current: { userId: string; audit: Audit; rows: number } | undefined
  for await (const page of pages) {
    for (const row of page) {
      const userId = row.userId ?? ''
      if (current?.userId !== userId) {
        if (current) yield current
        current = { userId, audit: create(userId), rows: 0 }
      }
      current.audit.add(row)
      current.rows++
    }
  }
  if (current) yield current
}
