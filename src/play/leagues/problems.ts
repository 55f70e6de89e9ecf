/** Problems of leagues. `code_not_found` is declared with codes. */
import { MAX_MEMBERS } from '../../../db/schema/play/leagues.ts'
import { defineProblems } from '../../core/problems.ts'

/** How many leagues a fan can own. */
export const MAX_OWNED = 30
/** In how many leagues a fan can be, so that the list of them is bounded. */
export const MAX_JOINED = 60

export const leagueProblems = defineProblems({
  league_not_found: {
    status: 404,
    title: 'There is no such league',
    description:
      'No league has this id, or the caller is not a member of it. Only members can read a league.',
  },
  not_owner: {
    status: 403,
    title: 'The league belongs to another fan',
    description: 'Only the owner can change the league, remove other members and ban fans.',
  },
  banned: {
    status: 403,
    title: 'You cannot join this league',
    description: 'The owner of the league has banned the caller.',
  },
  already_member: {
    status: 409,
    title: 'You are a member of this league',
    description: 'The caller has joined the league before. Read it instead.',
  },
  league_locked: {
    status: 409,
    title: 'The league is locked',
    description: 'The owner lets nobody join at the moment.',
  },
  name_held: {
    status: 409,
    title: 'Moderators hold the name of the league',
    description: 'A moderator has replaced the name, and its owner cannot change it.',
  },
  league_full: {
    status: 409,
    title: 'The league is full',
    description: `A league has at most ${MAX_MEMBERS} members.`,
  },
  too_many_leagues: {
    status: 409,
    title: 'Too many leagues',
    description: `A fan owns at most ${MAX_OWNED} leagues, and is a member of at most ${MAX_JOINED}. Leave one first.`,
  },
  cannot_ban_yourself: {
    status: 409,
    title: 'You cannot ban yourself',
    description: 'To leave a league, remove yourself from its members.',
  },
})
