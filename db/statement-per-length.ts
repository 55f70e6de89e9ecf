/** Statements that differ by the length of a list alone: one for each length, made when that first comes up. */
export function perLength<Statement>(make: (length: number) => Statement): (length: number) => Statement {
  const made = new Map<number, Statement>()
  return length => {
    const known = made.get(length)
    if (known) return known
    const statement = make(length)
    made.set(length, statement)
    return statement
  }
}
