/** Questions that fans answer with a vote. */
import { sql } from 'drizzle-orm'
import type { ColumnKit, Referenced } from '../columns.ts'
import type { FanData } from '../fan-column.ts'

export function defineQuestionsTables(kit: ColumnKit, { users }: Referenced<'users'>) {
  const { table, id, idOf, text, integer, boolean, timestamp } = kit

  /** The importer sets the id, a slug. */
  const questions = table(
    'questions',
    {
      id: id().primaryKey(),
      matchId: id(),
      /** `poll`, `quiz`, `prediction`, `rating` or `player`. */
      kind: id().notNull(),
      title: text().notNull(),
      imageUrl: text(),
      /** JSON: a list, a scale or a team. */
      options: text().notNull(),
      /** Inclusive. */
      opensAt: timestamp().notNull(),
      /** Exclusive. */
      closesAt: timestamp().notNull(),
      /** Milliseconds by which fans see it open and close later. */
      offsetMs: integer(),
      /** When fans see it open and close. */
      shownOpensAt: timestamp().notNull(),
      shownClosesAt: timestamp().notNull(),
      /** Whether a fan can change the vote. */
      changeable: boolean().notNull(),
      /** `live`, `after_vote` or `after_close`: when fans see the results. */
      results: id().notNull(),
      /** The option that is right; null while nobody has answered. */
      correct: id(),
      /** For fans who chose the correct option. */
      points: integer(),
      /** Who supports it: a sponsor of the catalogue. */
      sponsorId: id(),
      /** JSON: who may vote. */
      requires: text(),
      /** JSON: the texts that exist in several languages. Their columns have the default. */
      translations: text(),
      active: boolean().notNull(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.index('questions_shown').on(t.shownOpensAt, t.id),
      kit.index('questions_match').on(t.matchId, t.shownOpensAt, t.id),
      kit.check('questions_kind', sql`${t.kind} in ('poll', 'quiz', 'prediction', 'rating', 'player')`),
      kit.check('questions_results', sql`${t.results} in ('live', 'after_vote', 'after_close')`),
      kit.check('questions_order', sql`${t.opensAt} <= ${t.closesAt}`),
    ],
  )

  /**
   * Boxes of votes: each fan votes into one of them. A vote updates its box on the condition that the question is open, so that
   * votes of one box, and a change of the times, come one after the other.
   */
  const questionBoxes = table(
    'question_boxes',
    {
      questionId: idOf(questions),
      box: integer().notNull(),
      /** As in `questions`. */
      opensAt: timestamp().notNull(),
      closesAt: timestamp().notNull(),
      /** Number of fans who have voted into it. */
      votes: integer().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'question_boxes_pk', columns: [t.questionId, t.box] }),
      kit.check('question_boxes_votes', sql`${t.votes} >= 0`),
    ],
  )

  /** Votes of a box for an option. Changed with the box locked. */
  const questionTallies = table(
    'question_tallies',
    {
      questionId: idOf(questions),
      box: integer().notNull(),
      optionId: id().notNull(),
      votes: integer().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'question_tallies_pk', columns: [t.questionId, t.box, t.optionId] }),
      kit.check('question_tallies_votes', sql`${t.votes} >= 0`),
    ],
  )

  /** The primary key enforces one vote per fan and question. The settlement reads in its order. */
  const questionVotes = table(
    'question_votes',
    {
      questionId: idOf(questions),
      userId: idOf(users),
      box: integer().notNull(),
      /** The option, or the rating as text. */
      optionId: id().notNull(),
      createdAt: timestamp().notNull(),
      changedAt: timestamp().notNull(),
      /** Whether the tallies have it. Not a vote of a merged fan if the fan who remains has voted. */
      counted: boolean().notNull(),
      /** The revision of `question_settlements` that was applied to this row. Null: none yet. */
      revision: integer(),
      /** The revision whose answer settled it, also in its event and its ledger entry. */
      settledBy: integer(),
      correct: boolean(),
      /** Points that the vote earns. */
      points: integer().notNull(),
      /** Sum of its ledger entries. Greater than `points` when a correction could not take everything back. */
      booked: integer().notNull(),
      settledAt: timestamp(),
    },
    t => [
      kit.primaryKey({ name: 'question_votes_pk', columns: [t.questionId, t.userId] }),
      kit.index('question_votes_user').on(t.userId, t.createdAt, t.questionId),
      kit.check('question_votes_settled', sql`(${t.correct} is null) = (${t.settledBy} is null)`),
      kit.check('question_votes_booked', sql`${t.booked} >= ${t.points} and ${t.points} >= 0`),
    ],
  )

  /** The answer by which the votes of a question are settled. Its row lock serializes the batches of a settlement. */
  const questionSettlements = table(
    'question_settlements',
    {
      questionId: idOf(questions).primaryKey(),
      /** 1, 2, 3 … per question: each change of the answer or the points. */
      revision: integer().notNull(),
      /** The correct option. Null: the answer was withdrawn. */
      correct: id(),
      points: integer().notNull(),
      /** After this time no vote arrives that is counted before the answer. */
      revisedAt: timestamp().notNull(),
      /** The last fan of the current pass; empty at its start. */
      cursor: id().notNull(),
      /** Whether the current pass began after all older writes had ended. */
      lastPass: boolean().notNull(),
      /** When the next batch may run. Null: all votes are settled. */
      dueAt: timestamp(),
    },
    t => [kit.index('question_settlements_due').on(t.dueAt)],
  )

  return { questions, questionBoxes, questionTallies, questionVotes, questionSettlements }
}

export const fanData = {
  questionVotes: {
    userId: {
      export: 'votes',
      // The tallies count it.
      erasure: 'keep',
      merge: {
        rule: 'one that earned nothing moves, or is deleted if the other fan has voted; others stay, and count if the other fan has not voted',
      },
    },
  },
} satisfies FanData<ReturnType<typeof defineQuestionsTables>>
