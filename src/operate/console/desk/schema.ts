import { Closed, Id, Instant, Nullable, OneOf } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'
import { CodeReference } from '../../../play/rewards/redemption-schema.ts'

export const CodeParams = Closed({ code: CodeReference })

export const DeskCode = Closed(
  {
    code: Type.String({ description: 'In its canonical form.' }),
    kind: OneOf(['reward', 'voucher'], {
      description: 'What the fan has: a reward, or a voucher of the shop.',
    }),
    state: OneOf(['valid', 'used'], { description: 'Only a valid one is handed out.' }),
    title: Type.String({ description: 'What to hand out.' }),
    description: Type.String({ description: 'More of it.' }),
    imageUrl: Nullable(Type.String()),
    fan: Closed({
      id: Id('The fan.'),
      handle: Nullable(Type.String(), { description: 'Null: the fan has none.' }),
    }),
    orderId: Nullable(Type.String(), { description: 'Of a voucher: the order in which it was bought.' }),
    redeemedAt: Instant('When the fan redeemed or bought it.'),
    use: Nullable(
      Closed({
        at: Instant('When it was used.'),
        by: Type.String({
          description: 'Name of the staff; else the source of a server key, `operator`, or `order:ID`.',
        }),
        byYou: Type.Boolean({ description: 'Whether it was you, in the console.' }),
      }),
      { description: 'Null: it is not used.' },
    ),
  },
  { title: 'DeskCode' },
)
export type DeskCode = typeof DeskCode.static

export const UseCode = Closed(
  {
    requestId: Type.String({
      minLength: 8,
      maxLength: 64,
      pattern: '^[A-Za-z0-9-]+$',
      description: 'The same for a repeat after a lost answer, which succeeds again.',
      errorNoun: '8 to 64 letters, digits and dashes',
      examples: ['5f0c6d1e-7a53-4b5c-9d0e-3d5f6b1c2a90'],
    }),
  },
  { title: 'UseCode' },
)

export const UsedCode = Closed(
  {
    ...DeskCode.properties,
    repeated: Type.Boolean({ description: 'Whether it is the answer to a repeat of your request.' }),
  },
  { title: 'UsedCode' },
)
export type UsedCode = typeof UsedCode.static
