/** What the fan shows to others. Each choice is saved at once. */
import { useState } from 'preact/hooks'
import { changePrivacy, type Privacy as PrivacyData, readPrivacy } from '../api.ts'
import { text } from '../lang/lang.ts'
import { Loading, useLoaded, useWrite } from '../load.tsx'
import { Screen } from '../parts/layout.tsx'
import { Notice } from '../parts/notice.tsx'
import { addressOf } from '../router.tsx'

export function Privacy() {
  const loaded = useLoaded('privacy', readPrivacy)
  const [saved, setSaved] = useState(false)
  const save = useWrite(async (change: Partial<PrivacyData>, key) => {
    setSaved(false)
    loaded.set(await changePrivacy(change, key))
    setSaved(true)
  })
  return (
    <Screen title={text.nav.privacy} lead={text.privacy.lead} up={addressOf('profile')}>
      {save.error !== null && <Notice error={save.error} />}
      <Loading of={loaded}>
        {data => {
          const shown = { ...data, ...save.busy }
          return (
            <div class="form panel privacy" aria-busy={save.isBusy}>
              <Audience
                name="profile"
                value={shown.profile}
                choices={text.privacy.audiences}
                onChange={profile => save.run({ profile })}
              />
              <Audience
                name="activity"
                value={shown.activity}
                choices={text.privacy.audiences}
                onChange={activity => save.run({ activity })}
              />
              <Audience
                name="locker"
                value={shown.locker}
                choices={text.privacy.audiences}
                onChange={locker => save.run({ locker })}
              />
              <Audience
                name="leaderboardName"
                value={shown.leaderboardName}
                choices={text.privacy.names}
                onChange={leaderboardName => save.run({ leaderboardName })}
              />
            </div>
          )
        }}
      </Loading>
      <p aria-live="polite">{saved && text.profile.saved}</p>
    </Screen>
  )
}

interface AudienceProps<T extends string> {
  name: keyof PrivacyData
  value: T
  choices: Record<T, string>
  onChange: (value: T) => void
}

const Audience = <T extends string>({ name, value, choices, onChange }: AudienceProps<T>) => (
  <fieldset>
    <legend>{text.privacy.titles[name]}</legend>
    <p class="quiet">{text.privacy.hints[name]}</p>
    {(Object.entries(choices) as [T, string][]).map(([choice, words]) => (
      <label key={choice} class="radio">
        <input
          type="radio"
          name={name}
          value={choice}
          checked={choice === value}
          onChange={() => onChange(choice)}
        />
        <span>{words}</span>
      </label>
    ))}
  </fieldset>
)
