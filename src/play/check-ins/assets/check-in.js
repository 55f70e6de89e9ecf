/**
 * Shows the check-in code of a match, or why a code would be refused. The code comes from the fragment, which another system
 * replaces, from the API with a server key that staff enter, or from the console by the session of the staff. The key is in a
 * variable only, so a reload forgets it.
 */
import { generate } from './lean-qr.mjs'

/** No code works longer. */
const CODE_MS = 60_000
/** More often than codes change. */
const REFRESH_MS = 10_000
/** The `Date` of a response has no milliseconds. */
const DATE_MS = 1_000
const READING = 'Reading the match …'
const OUTAGE = 'The server does not respond. Trying again.'

const element = id => document.getElementById(id)
const matchId = decodeURIComponent(location.pathname.split('/').at(-1))
const [form, input, figure, state, facts] = ['key', 'server-key', 'shown', 'state', 'facts'].map(element)
/**
 * `link`: the app's page for check-ins; undefined: the app reads the code alone. `session`: the session of the browser reads the
 * code; undefined: a key does. `images`: the origin of pictures whose address is a path.
 */
const { link, matches, session, images = location.origin } = element('gate').dataset
const bySession = session !== undefined
const matchPath = `${matches}/${encodeURIComponent(matchId)}`

/** How far the clock of the server is ahead of the tablet's, which may be wrong. */
let skew = 0
let match
/** The API has refused to show the match. */
let isRefused = false
/** Nobody is signed in, of a page that goes by the session. */
let isSignedOut = false
let shown
/** Whether staff have entered a key, or the fragment has the code. */
let hasSource = false
/** Of the last request for the code and for the match. */
const troubles = { code: '', match: '' }
let lock

const now = () => Date.now() + skew
const at = text => Date.parse(text)
/** In the time zone of the screen, which it names; with 24 hours, as on a ticket. */
const moment = new Intl.DateTimeFormat('en-GB', {
  ...{ weekday: 'short', day: 'numeric', month: 'short' },
  ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
})
const timeOf = text => moment.format(new Date(text))

/** Of a code that is scanned now; undefined: it is accepted, or the match is not known yet. */
function findRefusal() {
  if (!match) return undefined
  const { checkIn, status } = match
  if (!checkIn) return `Check-in is closed: the match is ${status}.`
  if (now() < at(checkIn.opensAt)) return `Check-in opens at ${timeOf(checkIn.opensAt)}.`
  if (now() > at(checkIn.closesAt)) return `Check-in closed at ${timeOf(checkIn.closesAt)}.`
}

/** Whether a code is accepted now or later. */
const takesCheckIns = () => match?.checkIn && now() <= at(match.checkIn.closesAt)

function render() {
  const refusal = findRefusal()
  const isValid = shown !== undefined && now() < shown.validUntil
  figure.hidden = !isValid || refusal !== undefined || isRefused
  form.hidden = hasSource || !(bySession ? isSignedOut : takesCheckIns())
  const expired = shown && !isValid ? 'The code has expired.' : ''
  const text = troubles.code || troubles.match || refusal || expired || (match || isValid ? '' : READING)
  // A screen reader would read the same text again.
  if (state.textContent !== text) state.textContent = text
}

function show(code, validUntil) {
  if (shown?.code !== code) {
    const light = { pad: 4, on: [0, 0, 0], off: [255, 255, 255] }
    const content = link ? `${new URL(link, location.href)}#${encodeURIComponent(code)}` : code
    generate(content, { minCorrectionLevel: 1 }).toCanvas(element('qr'), light)
    element('code').textContent = code
  }
  shown = { code, validUntil }
  render()
}

const read = async (path, headers = {}) => {
  const response = await fetch(path, { headers, cache: 'no-store' })
  // A shared cache may have kept the response for some seconds.
  const age = Number(response.headers.get('age') ?? 0) * 1000
  skew = (at(response.headers.get('date')) || Date.now() - DATE_MS) + age + DATE_MS - Date.now()
  const body = await response.json()
  if (!response.ok) throw Object.assign(new Error(body.title), { status: response.status })
  return body
}

const isFinal = status => status >= 400 && status < 500 && status !== 429
const isSignIn = status => bySession && status === 401

function describeMatch({ kickoffAt, venue, checkIn }) {
  element('kickoff').textContent = timeOf(kickoffAt)
  element('venue').textContent = venue
  element('venue-fact').hidden = !venue
  if (checkIn) element('window').textContent = moment.formatRange(at(checkIn.opensAt), at(checkIn.closesAt))
  element('window-fact').hidden = !checkIn
  facts.hidden = false
}

async function readSides({ home, away, homeTeamId, awayTeamId }) {
  if (bySession) return [home, away]
  const { teams } = await read('/api/teams')
  return [homeTeamId, awayTeamId].map(id => teams.find(team => team.id === id) ?? { name: id })
}

/** A match names a competition of the catalogue by its id. The console states the name. */
async function readCompetition({ competition }) {
  if (bySession) return competition
  const { competitions } = await read('/api/competitions')
  return competitions.find(({ id }) => id === competition)?.name ?? competition
}

async function describeNames(of) {
  const [sides, competition] = await Promise.all([readSides(of), readCompetition(of)])
  element('competition').textContent = [competition, of.round].filter(Boolean).join(' · ')
  const names = sides.map(({ name }) => name).join(' – ')
  element('match').textContent = names
  document.title = `Check in: ${names}`
  const crests = sides.flatMap(({ crestUrl: src }) =>
    src ? [Object.assign(document.createElement('img'), { src: new URL(src, images).href, alt: '' })] : [],
  )
  if (crests.length === sides.length) element('crests').replaceChildren(...crests)
}

/** What is shown stays during an outage, a code until it expires. */
async function refreshMatch() {
  keepAwake()
  try {
    match = await read(matchPath)
    troubles.match = ''
    isRefused = false
    describeMatch(match)
    render()
    if (element('match').textContent === '') await describeNames(match)
  } catch (error) {
    const { status } = error
    const unknown = `There is no match ${matchId}. Look at the address of this page.`
    isRefused = isFinal(status)
    troubles.match = status === 404 ? unknown : isRefused ? error.message : OUTAGE
  }
  render()
  setTimeout(refreshMatch, REFRESH_MS)
}

/** Until the key is refused. By the session it goes on: staff may sign in again. */
async function refreshCode(key) {
  try {
    const headers = bySession ? {} : { authorization: `Bearer ${key}` }
    const { code, validUntil } = await read(`${matchPath}/check-in-code`, headers)
    troubles.code = ''
    isSignedOut = false
    hasSource = true
    show(code, at(validUntil))
  } catch (error) {
    troubles.code = isFinal(error.status) ? error.message : OUTAGE
    isSignedOut = isSignIn(error.status)
    if (isFinal(error.status)) {
      hasSource = false
      shown = undefined
    }
    render()
    if (isFinal(error.status) && !bySession) return
  }
  setTimeout(() => refreshCode(key), REFRESH_MS)
}

/** `#CODE`, or `#CODE&validUntil=INSTANT`. */
function showFragment() {
  const [code = '', ...more] = location.hash.slice(1).split('&')
  hasSource = code !== ''
  const validUntil = at(new URLSearchParams(more.join('&')).get('validUntil')) || now() + CODE_MS
  if (code !== '') show(decodeURIComponent(code), validUntil)
}

/** The browser ends the lock whenever the page is hidden. */
async function keepAwake() {
  if (document.visibilityState !== 'visible' || lock?.released === false) return
  lock = await navigator.wakeLock?.request('screen').catch(() => undefined)
}

// By the session there is no form.
form.addEventListener('submit', event => {
  event.preventDefault()
  const key = input.value.trim()
  input.value = ''
  refreshCode(key)
})
if (!bySession) addEventListener('hashchange', showFragment)
document.addEventListener('visibilitychange', keepAwake)
setInterval(render, 1_000)
if (bySession) refreshCode()
else showFragment()
refreshMatch()
