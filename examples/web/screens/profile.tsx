/** The public profile, the team, the language, and on a phone links to the other screens. */
import { useRef, useState } from 'preact/hooks'
import {
  type ProfileChange,
  type Profile as ProfileData,
  readProfile,
  readTeams,
  saveProfile,
  signOut,
  type Team,
  uploadPicture,
} from '../api.ts'
import { changeLanguage, formatHandle, language, languageNames, text } from '../lang/lang.ts'
import { Bones, Loading, useLoaded, useWrite } from '../load.tsx'
import { Button } from '../parts/button.tsx'
import { DataFile } from '../parts/data-file.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Screen, Section } from '../parts/layout.tsx'
import { Avatar } from '../parts/picture.tsx'
import { Refused } from '../parts/refused.tsx'
import { TeamChoice } from '../parts/team-choice.tsx'
import { addressOf, Link } from '../router.tsx'
import { applyColours } from '../theme.ts'

const IN_BAR = [
  'membership',
  'codes',
  'shop',
  'collection',
  'quests',
  'leaderboard',
  'leagues',
  'inbox',
  'feed',
  'points',
] as const
const MORE = {
  wallet: addressOf('wallet'),
  fans: addressOf('profile', 'following'),
  invite: addressOf('profile', 'invite'),
  privacy: addressOf('profile', 'privacy'),
  consents: addressOf('profile', 'consents'),
  limits: addressOf('profile', 'limits'),
  sessions: addressOf('sessions'),
}

async function loadProfile() {
  const [profile, { teams }] = await Promise.all([readProfile(), readTeams()])
  return { profile, teams }
}

export function Profile() {
  const loaded = useLoaded('profile', loadProfile)
  const leave = useWrite(async (_: null) => signOut())
  const { profile } = loaded.data ?? {}
  return (
    <Screen title={text.profile.title} bare>
      <div class="who">
        <Avatar name={profile?.displayName ?? null} src={profile?.avatarUrl ?? null} size="l" />
        <div class="grow">
          <h1>{profile?.displayName ?? text.profile.title}</h1>
          {profile?.handle && <p class="quiet">{formatHandle(profile.handle)}</p>}
        </div>
      </div>
      <AvatarChoice profile={profile ?? null} onSaved={loaded.reload} />
      <nav class="hub" aria-label={text.profile.more}>
        {IN_BAR.map(name => (
          <Way key={name} name={name} to={addressOf(name)} class="row in-bar" />
        ))}
        {(Object.entries(MORE) as [keyof typeof MORE, string][]).map(([name, to]) => (
          <Way key={name} name={name} to={to} class="row" />
        ))}
      </nav>
      {/* As long as the form, so that nothing below it moves into sight and out again. */}
      <Loading of={loaded} skeleton={<Bones count={14} />}>
        {({ profile, teams }) => <Form profile={profile} teams={teams} onSaved={loaded.reload} />}
      </Loading>
      {languageNames.length > 1 && (
        <Section title={text.profile.language}>
          <select
            aria-label={text.profile.language}
            value={language.id}
            onChange={event => changeLanguage(event.currentTarget.value)}
          >
            {languageNames.map(({ id, name }) => (
              <option key={id} value={id} lang={id}>
                {name}
              </option>
            ))}
          </select>
        </Section>
      )}
      <DataFile />
      <p class="leave actions">
        <Button kind="danger" busy={leave.isBusy} onClick={() => leave.run(null)}>
          {text.profile.signOut}
        </Button>
        <Link to={addressOf('profile', 'delete')} class="button plain">
          {text.deletion.title}
        </Link>
      </p>
    </Screen>
  )
}

const Way = ({ name, ...link }: { name: IconName & keyof typeof text.nav; to: string; class: string }) => (
  <Link {...link}>
    <Icon name={name} />
    <span class="grow">{text.nav[name]}</span>
    <Icon name="next" />
  </Link>
)

/** Types that the API accepts; a phone converts its own formats. */
const PICTURES = 'image/jpeg,image/png,image/webp'

function AvatarChoice({ profile, onSaved }: { profile: ProfileData | null; onSaved: () => Promise<void> }) {
  const input = useRef<HTMLInputElement>(null)
  const write = useWrite(async (file: File | null, key) => {
    const avatarUrl = file && (await uploadPicture(file, `${key}:file`)).url
    await saveProfile({ avatarUrl }, `${key}:profile`)
    await onSaved()
  })
  const choose = () => {
    const file = input.current?.files?.[0]
    if (file) void write.run(file)
    // So that the same file can be chosen again.
    if (input.current) input.current.value = ''
  }
  return (
    <div class="avatar-choice">
      <input ref={input} type="file" accept={PICTURES} hidden onChange={choose} />
      <p class="actions">
        <Button kind="plain" busy={write.isBusy} onClick={() => input.current?.click()}>
          {text.profile.choosePicture}
        </Button>
        {profile?.avatarUrl?.startsWith('/uploads/') && (
          <Button kind="plain" onClick={() => write.run(null)}>
            {text.profile.removePicture}
          </Button>
        )}
      </p>
      <Refused write={write} />
    </div>
  )
}

/** Only changed members, so that a name from the provider is not copied into the profile. */
function changeOf(
  profile: ProfileData | null,
  written: Required<Omit<ProfileChange, 'avatarUrl'>>,
): ProfileChange {
  const change: ProfileChange = {}
  for (const name of ['displayName', 'handle', 'bio', 'favoriteTeamId'] as const)
    if (written[name] !== (profile?.[name] ?? null)) change[name] = written[name]
  return change
}

interface FormProps {
  profile: ProfileData | null
  teams: Team[]
  onSaved: () => Promise<void>
}

function Form({ profile, teams, onSaved }: FormProps) {
  const [team, setTeam] = useState(profile?.favoriteTeamId ?? null)
  const [saved, setSaved] = useState(false)
  /** The initial values of the form, then the saved ones. */
  const stored = useRef(profile)
  const save = useWrite(async (change: ProfileChange, key) => {
    setSaved(false)
    stored.current = await saveProfile(change, key)
    if (change.favoriteTeamId) applyColours(teams.find(({ id }) => id === change.favoriteTeamId))
    await onSaved()
    setSaved(true)
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const read = (name: string) => String(fields.get(name)).trim() || null
    const written = {
      displayName: read('displayName'),
      handle: read('handle'),
      bio: read('bio'),
      favoriteTeamId: team,
    }
    return save.run(changeOf(stored.current, written))
  }
  return (
    <form class="form panel" onSubmit={submit}>
      <div>
        <label>
          <span>{text.profile.name}</span>
          <input
            name="displayName"
            maxLength={50}
            defaultValue={profile?.displayName ?? ''}
            autocomplete="nickname"
            aria-describedby="name-hint"
          />
        </label>
        <small id="name-hint" class="quiet">
          {text.profile.nameHint}
        </small>
      </div>
      <div>
        <label>
          <span>{text.profile.handle}</span>
          <input
            name="handle"
            pattern="[a-z0-9_]{3,20}"
            defaultValue={profile?.handle ?? ''}
            autocomplete="username"
            dir="ltr"
            aria-describedby="handle-hint"
          />
        </label>
        <small id="handle-hint" class="quiet">
          {text.profile.handleHint}
        </small>
      </div>
      <label>
        <span>{text.profile.bio}</span>
        <textarea name="bio" maxLength={280} rows={3} defaultValue={profile?.bio ?? ''} />
      </label>
      <fieldset>
        <legend>{text.profile.team}</legend>
        <TeamChoice teams={teams} value={team} onChange={setTeam} />
      </fieldset>
      <Refused write={save} />
      <div class="form-foot">
        <Button submit busy={save.isBusy}>
          {text.profile.save}
        </Button>
        <span aria-live="polite">{saved && text.profile.saved}</span>
      </div>
    </form>
  )
}
