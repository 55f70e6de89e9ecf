/** Every problem type of the API. */
import { type TObject, Type } from '@sinclair/typebox'

interface ProblemType {
  status: number
  title: string
  /** When it occurs, and what the client does. */
  description: string
  /** Members of the problem document in addition to the common ones. */
  members?: TObject
}

const points = (description: string) => Type.Integer({ description, minimum: 0 })

export const problemTypes = {
  malformed_request: {
    status: 400,
    title: 'The request cannot be read',
    description:
      'The body is not valid JSON, or the URL or a header is not well formed. Correct the request: sent again unchanged, it fails again.',
  },
  invalid_cursor: {
    status: 400,
    title: 'The cursor is not valid',
    description:
      'The cursor was changed, or it belongs to another list. Pass the `nextCursor` of the previous page unchanged, or start again without a cursor.',
  },
  unauthenticated: {
    status: 401,
    title: 'Sign in first',
    description:
      'The request has no bearer token, and the operation requires one. Sign the user in, or use a server key where the operation requires one, and send `Authorization: Bearer`.',
  },
  invalid_token: {
    status: 401,
    title: 'The token is not valid',
    description:
      'The token is malformed, expired or revoked, or was issued for another API. Get a new token, or sign the user in again.',
  },
  invalid_server_key: {
    status: 401,
    title: 'The server key is not valid',
    description:
      'The token is not a server key, or the key is misspelt, unknown, expired or revoked. Configure the current key of your system; the operator can issue another one.',
  },
  insufficient_scope: {
    status: 403,
    title: 'The server key lacks a scope',
    description:
      'The operation requires the scope in `scope`, which the server key does not have. The operator can issue a key with this scope.',
    members: Type.Object({ scope: Type.String({ description: 'The scope that the operation requires.' }) }),
  },
  not_found: {
    status: 404,
    title: 'This path does not exist',
    description: 'The API has no operation at this path. Check the path against the documentation.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This path does not support this method',
    description: 'The path exists, but not with this method. Use one of the methods in the `Allow` header.',
  },
  request_timeout: {
    status: 408,
    title: 'The body took too long to arrive',
    description: 'The request body did not arrive within the time limit. Send the request again.',
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    description: 'The request body exceeds the size limit that `detail` states. Send a smaller body.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body must be JSON',
    description:
      'The body is not plain JSON in UTF-8. Send `Content-Type: application/json` and no `Content-Encoding`.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'The first request with this key is still running',
    description:
      'Another request with the same `Idempotency-Key` has not finished. Wait for `Retry-After`, then send the same request again to get its response.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'This key was used for another request',
    description:
      'The `Idempotency-Key` was already used with a different request. Use a new key for each new operation.',
  },
  validation_failed: {
    status: 422,
    title: 'The request does not match its schema',
    description:
      'A member, parameter or header is missing, unknown or not valid; `errors` lists each of them. Correct these and send the request again.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    description:
      'The caller or its network address has exceeded a rate limit. Wait for the number of seconds in `Retry-After`, then send the request again.',
  },
  too_many_streams: {
    status: 429,
    title: 'Too many open streams',
    description:
      'The fan or the server has as many open streams as the settings allow. Close streams that you do not need, or wait for the number of seconds in `Retry-After`.',
  },
  internal_error: {
    status: 500,
    title: 'The server failed unexpectedly',
    description:
      'An unexpected error occurred on the server. Send the request again later; if the error persists, report the `requestId`.',
  },
  overloaded: {
    status: 503,
    title: 'The server is overloaded; try again shortly',
    description:
      'Too many writes are waiting, and this one was refused before it started. Send it again after `Retry-After`.',
  },
  database_busy: {
    status: 503,
    title: 'The database is busy; try again shortly',
    description:
      'The database could not process the request in time, and nothing was written. Send the request again after `Retry-After`.',
  },
  database_unavailable: {
    status: 503,
    title: 'The database is not available; try again shortly',
    description:
      'The database cannot be reached or cannot be used. Send the request again after `Retry-After`, with the same `Idempotency-Key` if it writes.',
  },
  storage_full: {
    status: 507,
    title: 'The storage is full',
    description:
      'The database has no space left, and nothing was written. The operator must free space; reads still work.',
  },
  identity_provider_unavailable: {
    status: 503,
    title: 'The identity provider is not available; try again shortly',
    description:
      'The identity provider does not respond, or its signing keys are not known yet. Send the request again after `Retry-After`.',
  },
  identity_provider_invalid: {
    status: 502,
    title: 'The identity provider sent an invalid response',
    description:
      'The identity provider responded with data that cannot be used. A retry does not help until the operator has corrected the configuration or the provider.',
  },
  identity_provider_refused: {
    status: 502,
    title: 'The identity provider refused the token',
    description:
      'The userinfo endpoint of the identity provider refused the session token. Sign the user in again; if the error persists, the operator can set `IDP_USER_DATA=token`.',
  },
  invalid_signature: {
    status: 401,
    title: 'The signature of the delivery is not valid',
    description:
      'The webhook delivery is unsigned, too old, or signed with another secret. Check the webhook secret and the clock of the sender.',
  },
  invalid_refresh_token: {
    status: 401,
    title: 'The refresh token is not valid',
    description:
      'The refresh token is unknown, expired or already used, or its session has ended. Sign the user in again.',
  },
  session_not_found: {
    status: 404,
    title: 'You have no such session',
    description:
      'The caller has no active session with this id; it may have ended already. Read the list of sessions again.',
  },
  reauthentication_required: {
    status: 403,
    title: 'Sign in again first',
    description:
      'The operation requires a session token of a user who authenticated at most 5 minutes ago (`auth_time`, else `iat`); a native token is not accepted. Sign the user in again, with `prompt=login` or `max_age=0`, and send the new session token.',
  },
  session_required: {
    status: 403,
    title: 'This requires a session token of the identity provider',
    description:
      'The request has a native token, and this operation accepts only a session token. Send the session token of the identity provider.',
  },

  profile_not_found: {
    status: 404,
    title: 'You have no profile yet',
    description:
      'The caller has not created a profile. Create it with `POST /api/user/profile`, or complete the onboarding.',
  },
  handle_taken: {
    status: 409,
    title: 'Another fan has this handle',
    description: 'Handles are unique. Ask the user for another handle.',
  },
  team_not_found: {
    status: 422,
    title: 'There is no such team',
    description: 'No team has the id in `favoriteTeamId`. Choose one from `GET /api/teams`.',
  },

  event_not_found: {
    status: 404,
    title: 'There is no such event',
    description:
      'You have sent no event with this id. The void is kept: if the event arrives later, it is ignored.',
  },
  fan_not_found: {
    status: 404,
    title: 'There is no such fan',
    description:
      'No fan has this `userId`, the fan was erased, or `provider` is not the identity provider of this API. Correct the request.',
  },
  ref_reused: {
    status: 409,
    title: 'This reference was used for another grant',
    description:
      'A grant with this `ref` was booked for another fan or for other points. Use a new `ref` for each new grant.',
  },

  reward_not_found: {
    status: 404,
    title: 'There is no such reward',
    description: 'No reward has this id. Read the list of rewards again.',
  },
  reward_inactive: {
    status: 409,
    title: 'The reward cannot be claimed now',
    description:
      'The reward is switched off, or the current time is outside `startsAt` and `endsAt`. Try again once the reward is active.',
  },
  insufficient_points: {
    status: 409,
    title: 'Not enough points',
    description:
      'The balance of the fan is lower than the price, or than the points to take. Show `missingPoints`, and try again once the fan has earned them.',
    members: Type.Object({
      pointsRequired: points('The price, or the points to take.'),
      points: points('The balance of the fan.'),
      missingPoints: points('The difference.'),
    }),
  },
  already_claimed: {
    status: 409,
    title: 'You have claimed this already',
    description:
      'A fan can claim each reward, and each period of a quest, once. Read it again and show it as claimed.',
  },
  out_of_stock: {
    status: 409,
    title: 'The reward is out of stock',
    description: 'No item of the reward is left. Do not retry; read the list of rewards again.',
  },
  not_claimed: {
    status: 409,
    title: 'Claim the reward first',
    description: 'The caller has not claimed this reward. Claim it, then redeem it.',
  },
  quest_not_found: {
    status: 404,
    title: 'There is no such quest',
    description: 'No quest has this id. Read the list of quests again.',
  },
  quest_not_completed: {
    status: 409,
    title: 'The quest is not completed',
    description:
      'The caller has not completed the quest in this period. Show the progress, and try again once `state` is `completed`.',
  },
  quest_expired: {
    status: 409,
    title: 'The quest has expired',
    description:
      'The period, or the quest, ended before the caller completed it. Read the list of quests again.',
  },

  pack_not_found: {
    status: 404,
    title: 'There is no such pack',
    description: 'No pack has this id. Read the list of packs again.',
  },
  pack_inactive: {
    status: 409,
    title: 'The pack is not on sale now',
    description:
      'The pack is switched off, outside its sales period, or not ready for sale. Try again once the pack is active.',
  },
  sold_out: {
    status: 409,
    title: 'The pack is sold out',
    description:
      'Every pack is sold, or held by a pending purchase. A hold that expires makes a pack available again.',
  },
  too_many_holds: {
    status: 409,
    title: 'You have too many pending purchases of this pack',
    description:
      'The caller has reached the maximum number of pending purchases of this pack. Complete one of them, or wait until one expires.',
  },
  purchase_not_found: {
    status: 404,
    title: 'You have no such purchase',
    description: 'The caller has no purchase with this id. Check the id, or start a new purchase.',
  },
  purchase_expired: {
    status: 409,
    title: 'The purchase has expired; start another',
    description:
      'The purchase was not completed in time. Start a new one; a payment that arrives too late is refunded.',
  },
  purchase_not_pending: {
    status: 409,
    title: 'The purchase is not pending',
    description:
      'The purchase is completed, expired, cancelled or refunded; `detail` states which. Read the purchase again, or start a new one.',
  },
  payment_not_confirmed: {
    status: 402,
    title: 'The payment does not pay this purchase',
    description:
      'The payment gateway does not confirm a payment of this price for this purchase. Let the user pay, then send the request again with that payment.',
  },
  payment_gateway_unavailable: {
    status: 503,
    title: 'The payment gateway is not available; try again shortly',
    description:
      'The payment gateway does not respond. Send the same request again after `Retry-After`; do not let the user pay again.',
  },
  no_payment_needed: {
    status: 409,
    title: 'This purchase needs no payment',
    description:
      'The purchase is priced in points, free, or already paid. Complete it, or show it, without a payment.',
  },
  catalogue_conflict: {
    status: 409,
    title: 'The catalogue entry cannot be changed like this',
    description:
      'The change contradicts what fans already own or hold; `errors` lists each contradiction. Correct the entry and import it again.',
  },
  not_refundable: {
    status: 409,
    title: 'The purchase cannot be refunded',
    description:
      'The purchase is not completed, is already refunded, or its payment cannot be refunded; `detail` states why. Do not retry.',
  },
  user_pack_not_found: {
    status: 404,
    title: 'You have no such pack',
    description: 'The caller owns no pack with this id. Read the inventory of the caller again.',
  },
  proof_not_found: {
    status: 404,
    title: 'There is no opened pack with this id',
    description: 'No pack with this id has been opened. The proof of a draw exists once the pack is opened.',
  },

  match_not_found: {
    status: 404,
    title: 'There is no such match',
    description: 'No match has this id. Read the list of matches again.',
  },
  stale_revision: {
    status: 409,
    title: 'A newer revision of the match is stored',
    description:
      'The stored match has this revision with another state, or a greater revision. Do not retry: discard the message, or read the match and send its state with a greater revision.',
    members: Type.Object({ revision: Type.Integer({ description: 'The stored revision.', minimum: 1 }) }),
  },
  invalid_check_in_code: {
    status: 422,
    title: 'The check-in code is not valid',
    description:
      'The code is not one of the gate, or it is older than a minute. Let the user scan the code that is shown now.',
  },
  check_in_closed: {
    status: 409,
    title: 'Check-in for the match is closed',
    description:
      'Check-in is open from 3 hours before kick-off to 3 hours after it, and not for a postponed or cancelled match. Do not retry before it opens.',
  },
  prediction_closed: {
    status: 409,
    title: 'Predictions of the match are closed',
    description:
      'The match has begun, or is postponed or cancelled. Do not retry; read the match again to show its state.',
  },

  already_redeemed: {
    status: 409,
    title: 'You have redeemed this reward already',
    description: 'A claimed reward can be redeemed once. Read the reward again to get its redemption code.',
  },
  redemption_not_found: {
    status: 404,
    title: 'There is no such redemption code',
    description:
      'No redeemed reward has this code, or its fan was erased. Compare the code with the one that the fan shows.',
  },
  already_used: {
    status: 409,
    title: 'The redemption code was used already',
    description:
      'A code can be used once. `usedAt` and `usedBy` state when, and by which source; do not hand the reward out again.',
    members: Type.Object({
      usedAt: Type.String({ format: 'date-time', description: 'When the code was used.' }),
      usedBy: Type.String({ description: 'The source that used it.' }),
    }),
  },
} as const satisfies Record<string, ProblemType>
