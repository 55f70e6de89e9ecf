import { Closed, Instant, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { type FanDeps, fans } from '../auth/groups.ts'
import { thrownBy } from './problems.generated.ts'
import { acceptTerms, readTerms } from './terms.ts'

const Version = (description: string) =>
  Type.String({ minLength: 1, maxLength: 64, pattern: '^[\\w.-]{1,64}$', description })

const Terms = Closed(
  {
    required: Nullable(Type.String(), {
      description:
        'The version that fans must accept before they write texts for other fans. Null if none is required.',
    }),
    url: Nullable(Type.String(), {
      description: 'The address of the terms. Null if the club has not set it.',
    }),
    accepted: Nullable(
      Closed({
        version: Type.String({ description: 'The version.' }),
        acceptedAt: Instant('When you accepted it.'),
      }),
      { description: 'The version that you accepted last. Null if none.' },
    ),
  },
  { title: 'Terms' },
)

const AcceptTerms = Closed(
  { version: Version('`required` of the terms that were shown.') },
  { title: 'AcceptTerms' },
)

const example = {
  required: '2026-08',
  url: 'https://club.example/terms',
  accepted: { version: '2026-08', acceptedAt: '2026-08-15T18:30:00.000Z' },
}

export const termsRoutes = (deps: FanDeps) =>
  fans(deps, { prefix: '/api/user/terms', tag: 'User' })
    .get(
      '',
      ({ caller }) => readTerms(deps.db.read, caller),
      operation({
        id: 'readTerms',
        summary: 'Read which terms you accepted',
        description:
          'Also states the version that fans must accept before they write texts for other fans: name, handle, bio and titles.',
        responses: { 200: Terms },
        examples: { 200: example },
      }),
    )
    .put(
      '',
      ({ body, write }) => write((tx, fan) => acceptTerms(tx, fan, body)),
      operation({
        id: 'acceptTerms',
        whenSuspended: 'allowed',
        guardianConsent: 'required',
        summary: 'Accept the terms',
        description:
          'Only the current version can be accepted: `required`, or that of the document of the purpose `terms`. It is also the consent to this document. A repeat changes nothing.',
        body: AcceptTerms,
        responses: { 200: Terms },
        problems: thrownBy.acceptTerms,
        examples: { body: { version: '2026-08' }, 200: example },
      }),
    )
