/**
 * Shows the check-in code of a match, or why a code would be refused. The code comes from the fragment, which another system
 * replaces, or from the API with a server key that staff enter. The key is in a variable only, so a reload forgets it.
 */
import { generate } from './lean-qr.mjs'

/** No code works longer. */
const CODE_MS = 60_000
/** More often than codes change. */
const REFRESH_MS = 10_000
/** The `Date` of a response has no milliseconds. */
const DATE_MS = 1_000
const OUTAGE = 'The server does not respond. Trying again.'

const matchPath = `/api/matches/${encodeURIComponent(decodeURIComponent(location.pathname.split('/').at(-1)))}`
const element = id => document.getElementById(id)
const [form, input, figure, state] = ['key', 'server-key', 'shown', 'state'].map(element)

/** How far the clock of the server is ahead of the tablet's, which may be wrong. */
let skew = 0
let match
let shown
/** Of the last request for the code and for the match. */
const troubles = { code: '', match: '' }
let lock

const now = () => Date.now() + skew
const at = text => Date.parse(text)
const timeOf = text =>
  new Date(text).toLocaleString([], { weekday: 'short', hour: '2-digit', minute: '2-digit' })

/** Of a code that is scanned now; undefined: it is accepted, or the match is not known yet. */
function findRefusal() {
  if (!match) return undefined
  const { checkIn, status } = match
  if (!checkIn) return `Check-in is closed: the match is ${status}.`
  if (now() < at(checkIn.opensAt)) return `Check-in is not open until ${timeOf(checkIn.opensAt)}.`
  if (now() > at(checkIn.closesAt)) return `Check-in closed at ${timeOf(checkIn.closesAt)}.`
}

function render() {
  const refusal = findRefusal()
  const isValid = shown !== undefined && now() < shown.validUntil
  figure.hidden = !isValid || refusal !== undefined
  const text =
    troubles.code || troubles.match || (refusal ?? (shown && !isValid ? 'The code has expired.' : ''))
  // A screen reader would read the same text again.
  if (state.textContent !== text) state.textContent = text
}

function show(code, validUntil) {
  if (shown?.code !== code) {
    const light = { pad: 4, on: [0, 0, 0], off: [255, 255, 255] }
    generate(code, { minCorrectionLevel: 1 }).toCanvas(element('qr'), light)
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

const isFinal = ({ status }) => status >= 400 && status < 500 && status !== 429

async function nameMatch({ homeTeamId, awayTeamId }) {
  const { teams } = await read('/api/teams')
  const nameOf = teamId => teams.find(({ id }) => id === teamId)?.name ?? teamId
  element('match').textContent = `${nameOf(homeTeamId)} – ${nameOf(awayTeamId)}`
}

/** What is shown stays during an outage, a code until it expires. */
async function refreshMatch() {
  keepAwake()
  try {
    match = await read(matchPath)
    troubles.match = ''
    if (element('match').textContent === '') await nameMatch(match)
  } catch (error) {
    troubles.match = isFinal(error) ? error.message : OUTAGE
  }
  render()
  setTimeout(refreshMatch, REFRESH_MS)
}

/** Until the key is refused. */
async function refreshCode(key) {
  try {
    const { code, validUntil } = await read(`${matchPath}/check-in-code`, { authorization: `Bearer ${key}` })
    troubles.code = ''
    form.hidden = true
    show(code, at(validUntil))
  } catch (error) {
    troubles.code = isFinal(error) ? error.message : OUTAGE
    if (isFinal(error)) {
      form.hidden = false
      shown = undefined
      return render()
    }
    render()
  }
  setTimeout(() => refreshCode(key), REFRESH_MS)
}

/** `#CODE`, or `#CODE&validUntil=INSTANT`. */
function showFragment() {
  const [code = '', ...more] = location.hash.slice(1).split('&')
  form.hidden = code !== ''
  const validUntil = at(new URLSearchParams(more.join('&')).get('validUntil')) || now() + CODE_MS
  if (code !== '') show(decodeURIComponent(code), validUntil)
}

/** The browser ends the lock whenever the page is hidden. */
async function keepAwake() {
  if (document.visibilityState !== 'visible' || lock?.released === false) return
  lock = await navigator.wakeLock?.request('screen').catch(() => undefined)
}

form.addEventListener('submit', event => {
  event.preventDefault()
  const key = input.value.trim()
  input.value = ''
  refreshCode(key)
})
addEventListener('hashchange', showFragment)
document.addEventListener('visibilitychange', keepAwake)
setInterval(render, 1_000)
showFragment()
refreshMatch()
