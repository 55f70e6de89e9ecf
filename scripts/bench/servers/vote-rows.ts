/**
 * The raw reference for votes: the rows of a vote, behind `Bun.serve`. On SQLite all queued votes share one transaction (WAL,
 * synchronous=FULL); on PostgreSQL each vote is one. Nothing is checked but that the fan has not voted and the question is open.
 */
import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { digestOf } from '../../../src/economy/events/digest.ts'
import { spreadBoxOf } from '../../../src/play/questions/boxes.ts'
import { PROVIDER } from '../issuer.ts'
import { bearerToken, serve } from './serve.ts'

const url = process.env.DATABASE_URL ?? ''

interface Vote {
  subject: string
  questionId: string
  optionId: string
}

const FIND_USER = 'SELECT id FROM users WHERE provider = $1 AND subject = $2'
const INSERT_VOTE = `INSERT INTO question_votes (question_id, user_id, box, option_id, created_at, changed_at, counted, points, booked)
   VALUES ($1, $2, $3, $4, $5, $5, true, 0, 0) ON CONFLICT DO NOTHING RETURNING box`
const INSERT_EVENT = `INSERT INTO events (source, event_id, user_id, sequence, type, occurred_at, recorded_at, data, digest)
   VALUES ('matchday', $1, $2, coalesce((SELECT max(sequence) FROM events WHERE user_id = $2), 0) + 1, 'question.voted', $3, $3, $4, $5)`
const COUNT = `UPDATE question_boxes SET votes = votes + 1
   WHERE question_id = $1 AND box = $2 AND opens_at <= $3 AND closes_at > $3 RETURNING box`
const ADD = `INSERT INTO question_tallies (question_id, box, option_id, votes) VALUES ($1, $2, $3, 1)
   ON CONFLICT (question_id, box, option_id) DO UPDATE SET votes = question_tallies.votes + excluded.votes`

function eventOf(questionId: string, at: Date) {
  const data = { questionId, matchId: null, kind: 'poll' }
  return {
    text: JSON.stringify(data),
    digest: digestOf({ type: 'question.voted', occurredAt: at, data }, 'short'),
  }
}

function onPostgres() {
  const pool = new SQL(url, { max: 10 })
  return ({ subject, questionId, optionId }: Vote): Promise<boolean> =>
    pool.begin(async tx => {
      const [user] = await tx.unsafe(FIND_USER, [PROVIDER, subject])
      const at = new Date()
      const box = spreadBoxOf(user.id)
      const [inserted] = await tx.unsafe(INSERT_VOTE, [questionId, user.id, box, optionId, at])
      if (!inserted) return false
      const { text, digest } = eventOf(questionId, at)
      await tx.unsafe(INSERT_EVENT, [Bun.randomUUIDv7(), user.id, at, text, digest])
      const [counted] = await tx.unsafe(COUNT, [questionId, box, at])
      await tx.unsafe(ADD, [questionId, box, optionId])
      return counted !== undefined
    })
}

function onSqlite() {
  const db = new Database(url.slice('sqlite:'.length), { strict: true })
  for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON'])
    db.run(`PRAGMA ${setting}`)
  const prepare = (text: string) => db.query<{ id: string }, (string | number)[]>(text.replaceAll('$', '?'))
  const [findUser, insertVote, insertEvent] = [
    prepare(FIND_USER),
    prepare(INSERT_VOTE),
    prepare(INSERT_EVENT),
  ]
  const [count, add, begin, commit] = [
    prepare(COUNT),
    prepare(ADD),
    prepare('BEGIN IMMEDIATE'),
    prepare('COMMIT'),
  ]
  let queue: { vote: Vote; resolve: (done: boolean) => void }[] = []

  function write({ subject, questionId, optionId }: Vote): boolean {
    const { id } = findUser.get(PROVIDER, subject) ?? { id: '' }
    const [at, box] = [new Date(), 0]
    const time = at.getTime()
    if (!insertVote.get(questionId, id, box, optionId, time)) return false
    const { text, digest } = eventOf(questionId, at)
    insertEvent.run(Bun.randomUUIDv7(), id, time, text, digest)
    const counted = count.get(questionId, box, time)
    add.run(questionId, box, optionId)
    return counted !== null
  }

  function drain() {
    const batch = queue
    queue = []
    begin.run()
    const done = batch.map(({ vote }) => write(vote))
    commit.run()
    for (const [index, { resolve }] of batch.entries()) resolve(done[index] === true)
  }

  return (vote: Vote) =>
    new Promise<boolean>(resolve => {
      // Runs after all requests read in this turn of the event loop.
      if (queue.push({ vote, resolve }) === 1) setImmediate(drain)
    })
}

const record = url.startsWith('sqlite:') ? onSqlite() : onPostgres()

serve(async request => {
  if (request.method !== 'PUT') return new Response('ready')
  // Guarantee of the cast: the bench sends what Matchday takes.
  const { optionId } = (await request.json()) as { optionId: string }
  const [, questionId = ''] = /^\/api\/questions\/([^/]+)\/vote$/.exec(new URL(request.url).pathname) ?? []
  const done = await record({ subject: bearerToken(request) ?? '', questionId, optionId })
  return done
    ? Response.json({ id: questionId, myVote: optionId })
    : new Response('conflict', { status: 409 })
})
