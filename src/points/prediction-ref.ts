/**
 * The ref of ledger entries of predictions: `MATCH:REVISION:SEASON`. It names the season, which an import can change in the
 * match, so that the scores of a season follow from the entries alone.
 */

interface Settled {
  matchId: string
  /** Of the result. */
  revision: number
  /** Null: of none. */
  season: string | null
}

/** A slug has no colon. */
export const predictionRefOf = ({ matchId, revision, season }: Settled): string =>
  [matchId, revision, ...(season === null ? [] : [season])].join(':')

export const seasonOf = (ref: string): string | null => /^[^:]*:[^:]*:(.+)$/s.exec(ref)?.[1] ?? null
