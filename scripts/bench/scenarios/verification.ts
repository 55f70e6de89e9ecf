import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { outputOf } from '../process.ts'
import { compare } from '../rounds.ts'
import { type Bench, median, type Outcome, row, type Scenario } from '../scenario.ts'

interface Rate {
  perSecond: number
  perCpuSecond: number
}
type Verified = Record<'jose' | 'nodeCrypto', Rate>

/** Verifications per second on the core of the servers, with jose, as in Matchday, and with node:crypto. */
export async function verifyOnOneCore(bench: Bench): Promise<Outcome> {
  const { options, issuer, cores, folder } = bench
  const file = join(folder, 'verify.json')
  const tokens = bench.tokensOf(options.fans)
  const { jwks, publicKey, algorithm } = issuer
  await writeFile(file, JSON.stringify({ tokens, jwks, publicKey, algorithm }))
  const script = join(import.meta.dir, '../verify-process.ts')
  const rounds: Verified[] = []
  for (let round = 0; round < options.rounds; round++) {
    const { output } = await outputOf([process.execPath, script, file, String(options.seconds)], {
      core: cores.server,
    })
    rounds.push(JSON.parse(output))
  }
  const summarize = (label: string, by: keyof Verified) =>
    row(
      label,
      'verifications/s',
      rounds.map(round => round[by].perSecond),
      { perCpuSecond: median(rounds.map(round => round[by].perCpuSecond)) },
    )
  return {
    rows: [summarize('one core, jose', 'jose'), summarize('one core, node:crypto', 'nodeCrypto')],
    notes: cores.pinned ? [] : ['verification is not pinned: jose may have used more than one core'],
  }
}

export const verification: Scenario = {
  name: 'verification',
  summary:
    'Token verifications per second: in process on one core, and over HTTP with the cheapest read, uncached and cached',
  async run(bench) {
    const { matchday } = bench.subjects
    const { fans } = bench.options
    const requests = [{ method: 'GET' as const, path: '/api/user/onboarding' }]
    const [one, http] = [
      await verifyOnOneCore(bench),
      await compare(bench, [
        {
          subject: matchday,
          label: 'matchday, uncached',
          plan: { tokens: bench.uncachedTokens(fans), requests },
        },
        {
          subject: matchday,
          label: 'matchday, cached',
          plan: { tokens: bench.tokensOf(fans, 32), requests },
        },
      ]),
    ]
    return { ...http, rows: [...one.rows, ...http.rows], notes: [...one.notes, ...http.notes] }
  },
}
