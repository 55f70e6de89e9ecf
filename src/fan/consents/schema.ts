import { AgeBandOrUnknown } from '../../core/age-bands.ts'
import { Closed, Instant, InstantInput, Nullable, Slug } from '../../core/schemas.ts'
import { type Static, Type } from '../../core/typebox.ts'
import { FanReference } from '../../identity/users/fan-reference.ts'

const Version = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[\\w.-]+$',
    description,
    errorNoun: '1 to 64 letters, digits, dots, hyphens and underscores',
  })

const ConsentChange = Closed(
  {
    granted: Type.Boolean({ description: 'True: the fan agrees. False: the fan does not, or withdraws.' }),
    version: Version('Version of the document that the fan has read.'),
  },
  { title: 'ConsentChange' },
)

export const ConsentChanges = Type.Record(Slug('A purpose.'), ConsentChange, {
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 20,
  title: 'ConsentChanges',
  description: 'By purpose. Purposes that are left out stay as they are.',
})
export type ConsentChanges = Static<typeof ConsentChanges>

const ageMembers = {
  ageBand: AgeBandOrUnknown,
  source: Nullable(Type.String(), { description: 'Who has checked it.' }),
  assuredAt: Nullable(Instant('When it was checked.')),
  guardianConsent: Nullable(Type.Boolean(), {
    description: 'Whether a guardian consents. Null: nobody has asked. False: the fan cannot write.',
  }),
}

const Consent = Closed(
  {
    purpose: Type.String({ description: 'What it is for, such as terms or marketing.' }),
    documentId: Nullable(Type.String(), {
      description: 'The current document. Null: there is none any longer.',
    }),
    version: Nullable(Type.String(), { description: 'Version of the current document.' }),
    required: Type.Boolean({ description: 'Whether the app does not continue without it.' }),
    granted: Type.Boolean({ description: 'Whether the fan agrees. False until the fan does.' }),
    grantedVersion: Nullable(Type.String(), {
      description: 'The version that the fan agrees to. If it is not the current one, ask again.',
    }),
    changedAt: Nullable(Instant('When the fan stated it. Null: never.')),
    source: Nullable(Type.String(), { description: 'Where the fan stated it.' }),
  },
  { title: 'Consent' },
)

export const Consents = Closed(
  {
    consents: Type.Array(Consent, { description: 'By purpose.' }),
    age: Closed(ageMembers, { description: 'What the club knows of the age of the fan.' }),
  },
  { title: 'Consents' },
)

export const exampleConsents = {
  consents: [
    {
      purpose: 'marketing',
      documentId: 'newsletter',
      version: '2026-07',
      required: false,
      granted: true,
      grantedVersion: '2026-07',
      changedAt: '2026-08-15T18:30:00.000Z',
      source: 'app',
    },
  ],
  age: { ageBand: 'adult', source: 'mock-idp', assuredAt: '2026-08-15T18:30:00.000Z', guardianConsent: null },
}

export const AgeBandChange = Closed(
  {
    fan: FanReference,
    ageBand: AgeBandOrUnknown,
    source: Type.String({ minLength: 1, maxLength: 100, description: 'Who has checked it.' }),
    assuredAt: InstantInput('When it was checked.'),
    guardianConsent: Type.Optional(
      Type.Boolean({
        description:
          'Whether a guardian consents. False freezes the writes of a fan who is not an adult. Left out: stays as it is.',
      }),
    ),
  },
  { title: 'AgeBandChange' },
)

export const AgeOfFan = Closed(
  { userId: Type.String({ description: 'The fan.' }), ...ageMembers },
  { title: 'AgeOfFan' },
)

export const exampleAge = {
  userId: '01981e2c-7c1f-7000-8000-000000000000',
  ageBand: '13_15',
  source: 'school-league',
  assuredAt: '2026-08-15T18:30:00.000Z',
  guardianConsent: true,
}
