import { Closed, Instant } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

export const CheckInCode = Closed(
  {
    code: Type.String({ description: 'Show it at the gate, as text or as a QR code.' }),
    validUntil: Instant('When the code stops working. There is a new one every 30 seconds.'),
  },
  { title: 'CheckInCode' },
)

export const CheckInRequest = Closed(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The code at the gate.',
      examples: ['harbour-city-2026-08-15.kT0fVjQ9m2s6yq1nZxW3Ag'],
    }),
  },
  { title: 'CheckInRequest' },
)
export type CheckInRequest = typeof CheckInRequest.static

export const CheckIn = Closed(
  {
    matchId: Type.String({ description: 'Slug of the match.' }),
    checkedInAt: Instant('When the fan checked in first.'),
  },
  { title: 'CheckIn' },
)

export const exampleCode = {
  code: 'harbour-city-2026-08-15.kT0fVjQ9m2s6yq1nZxW3Ag',
  validUntil: '2026-08-15T18:31:00.000Z',
}

export const exampleCheckIn = { matchId: 'harbour-city-2026-08-15', checkedInAt: '2026-08-15T18:30:12.000Z' }
