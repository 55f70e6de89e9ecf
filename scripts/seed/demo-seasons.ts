/** The demonstration seasons, with that of the matches in the middle. */
export const seasons = [2025, 2026, 2027].map(year => ({
  id: `${year}-${year - 1999}`,
  name: `${year}/${year - 1999}`,
  startsAt: `${year}-07-01T00:00:00.000Z`,
  endsAt: `${year + 1}-07-01T00:00:00.000Z`,
}))
