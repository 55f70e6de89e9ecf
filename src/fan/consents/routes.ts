import { Elysia } from 'elysia'
import { instantIn } from '../../core/instant.ts'
import { type FanDeps, fans } from '../../identity/auth/groups.ts'
import { type ServerDeps, servers } from '../../identity/server-keys/group.ts'
import type { FanEmails } from '../../identity/users/emails.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { writeAgeBand } from './age-band.ts'
import { readConsents, writeConsents } from './consents.ts'
import { thrownBy } from './problems.generated.ts'
import * as schema from './schema.ts'

type ConsentDeps = FanDeps &
  ServerDeps & { config: { identity: { name: string } }; fanEmails: FanEmails | null }

const fanRoutes = (deps: ConsentDeps) =>
  fans(deps, { prefix: '/api/user/consents', tag: 'Consents' })
    .get(
      '',
      ({ caller }) => readConsents(deps.db.read, caller),
      operation({
        id: 'readConsents',
        summary: 'Read what you agree to',
        description: 'By purpose. `GET /api/documents` has the texts.',
        responses: { 200: schema.Consents },
        examples: { 200: schema.exampleConsents },
      }),
    )
    .put(
      '',
      ({ body, write }) => write((tx, fan) => writeConsents(tx, fan, body)),
      operation({
        id: 'writeConsents',
        summary: 'Agree, or withdraw',
        description:
          'Each change is kept with its time, version and source. What is stated already changes nothing. A withdrawal is accepted with any version. Without the consent of a guardian that they need, fans can only withdraw.',
        whenSuspended: 'allowed',
        guardianConsent: 'partly',
        body: schema.ConsentChanges,
        responses: { 200: schema.Consents },
        problems: thrownBy.writeConsents,
        examples: {
          body: { marketing: { granted: true, version: '2026-07' } },
          200: schema.exampleConsents,
        },
      }),
    )

const serverRoutes = (deps: ConsentDeps) =>
  servers(deps, { prefix: '/api/age-bands', tag: 'Server', scope: 'age:write' }).put(
    '',
    ({ body: { assuredAt, ...age }, write }) => {
      const naming = { provider: deps.config.identity.name, fanEmails: deps.fanEmails }
      return write(tx => writeAgeBand(tx, { ...age, assuredAt: instantIn(assuredAt) }, naming))
    },
    operation({
      id: 'writeAgeBand',
      summary: 'State the age band of a fan',
      description:
        'The band that was checked last counts, and so does the `guardianConsent` that was checked last: an earlier `assuredAt` than that of what is stored changes nothing, so a retry that arrives late is harmless. The response has what counts. Never a birth date. `guardianConsent: false` freezes the writes of a fan who is not an adult at once (403 `guardian_consent_required`), true ends it.',
      body: schema.AgeBandChange,
      responses: { 200: schema.AgeOfFan },
      problems: thrownBy.writeAgeBand,
      examples: {
        body: {
          fan: { provider: 'mock-idp', subject: 'fan-0001' },
          ageBand: '13_15',
          source: 'school-league',
          assuredAt: '2026-08-15T18:30:00.000Z',
          guardianConsent: true,
        },
        200: schema.exampleAge,
      },
    }),
  )

export const consentRoutes = (deps: ConsentDeps) =>
  new Elysia({ name: 'matchday/consent-routes' }).use(fanRoutes(deps)).use(serverRoutes(deps))
