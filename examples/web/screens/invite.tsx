/** Invites a friend: the code of the fan, a link with it, and what came of it. */
import { readReferral } from '../api.ts'
import { formatInteger, text } from '../lang/lang.ts'
import { Loading, useLoaded } from '../load.tsx'
import { Screen } from '../parts/layout.tsx'
import { Share } from '../parts/share.tsx'
import { addressOf } from '../router.tsx'

export function Invite() {
  const loaded = useLoaded('invite', readReferral)
  return (
    <Screen title={text.nav.invite} lead={text.invite.lead} up={addressOf('profile')}>
      <Loading of={loaded}>
        {({ code, invited, completed, limit }) => (
          <section class="panel invite">
            <p class="quiet">{text.invite.code}</p>
            <code dir="ltr">{code}</code>
            <Share path={`${addressOf()}?invite=${encodeURIComponent(code)}`} title={text.invite.title} />
            <dl class="invite-figures">
              <div>
                <dt>{text.invite.invited}</dt>
                <dd>{formatInteger(invited)}</dd>
              </div>
              <div>
                <dt>{text.invite.completed}</dt>
                <dd>{formatInteger(completed)}</dd>
              </div>
            </dl>
            <p class="quiet">{text.invite.limit(limit)}</p>
          </section>
        )}
      </Loading>
    </Screen>
  )
}
