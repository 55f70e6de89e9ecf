import type { FieldError } from '../../core/problems.ts'
import { Closed, Id, IdReference, Instant, OneOf } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import { NOTICE_CATEGORIES, NOTICE_SUBJECTS } from './notice-kinds.ts'

/** Of a body without a subject, and of the page. */
const LOCATION_MAX = 2_000

export const NewNotice = Closed(
  {
    category: OneOf(NOTICE_CATEGORIES, { description: 'What kind of law the content breaks.' }),
    subject: Type.Optional(
      Closed(
        {
          kind: OneOf(NOTICE_SUBJECTS, { description: 'What the content is.' }),
          id: IdReference('The handle of the fan.', 'calebe'),
        },
        { description: 'The content, if it is a profile or a locker. Required without `location`.' },
      ),
    ),
    location: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LOCATION_MAX,
        description: 'Where the content is: its address, or in words. Required without `subject`.',
      }),
    ),
    explanation: Type.String({
      minLength: 1,
      maxLength: 5_000,
      description: 'Why the content is illegal.',
    }),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The name of the notifier. Required, except for `child_abuse`.',
      }),
    ),
    email: Type.Optional(
      Type.String({
        maxLength: 254,
        pattern: '^[^\\s@]{1,64}@[^\\s@]{1,189}$',
        description: 'The e-mail address of the notifier. Required, except for `child_abuse`.',
        errorNoun: 'an e-mail address',
      }),
    ),
    goodFaith: Type.Literal(true, {
      description: 'The notifier believes in good faith that the notice is accurate and complete.',
      errorNoun: 'true',
    }),
  },
  { title: 'NewNotice' },
)
export type NewNotice = typeof NewNotice.static

export const NoticeReceipt = Closed(
  {
    receipt: Id('The number of the notice, for questions about it.'),
    createdAt: Instant('When the club received it.'),
    merged: Type.Boolean({
      description:
        'Whether many notices about the content are open: this one is counted with another one, whose number `receipt` is, and its texts are not kept.',
    }),
  },
  { title: 'NoticeReceipt' },
)
export type NoticeReceipt = typeof NoticeReceipt.static

/** Regulation (EU) 2022/2065, Article 16 (2) (b) and (c). */
export function findNoticeErrors({ body }: { body: unknown }): FieldError[] {
  // Guarantee of the cast: only whether members are there is read, and the schema refuses what is no object.
  const { subject, location, category, name, email } = (
    Object(body) === body ? body : {}
  ) as Partial<NewNotice>
  const missing = (pointer: string, message: string) => [{ pointer, message }]
  const isNamed = category !== 'child_abuse'
  return [
    ...(subject === undefined && location === undefined
      ? missing('/location', 'is required, or /subject')
      : []),
    ...(isNamed && name === undefined ? missing('/name', 'is required for this category') : []),
    ...(isNamed && email === undefined ? missing('/email', 'is required for this category') : []),
  ]
}

export const exampleNotice = {
  category: 'hate',
  subject: { kind: 'locker', id: 'calebe' },
  location: 'https://club.example/lockers/calebe',
  explanation: 'The title of the second shelf calls for violence against a religious group.',
  name: 'Ana Reis',
  email: 'ana@example.com',
  goodFaith: true,
}

export const exampleReceipt = {
  receipt: '01981e2c-7c1f-7000-8000-000000000045',
  createdAt: '2026-08-15T18:30:00.000Z',
  merged: false,
}
