/** Schemas of the sign-in with a provider. */
import { Bytes, Closed, Nullable } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'

export const SignInOptions = Closed(
  {
    provider: Nullable(Type.String({ description: 'The host of the provider of the staff.' }), {
      description: 'Null: staff sign in by links alone.',
    }),
  },
  { title: 'SignInOptions' },
)

const text = Type.Optional(Type.String({ maxLength: 4_096 }))

/** Providers add members of their own, such as `session_state`. */
export const ProviderResponse = Type.Object(
  { code: text, state: text, iss: text, error: text },
  { additionalProperties: true },
)

const MAX_FORM_BYTES = 16 * 1024

export const LogoutForm = Bytes(
  MAX_FORM_BYTES,
  ['application/x-www-form-urlencoded'],
  'A form with `logout_token`.',
)

export const Redirect = Type.String({ description: 'A redirect.' })
