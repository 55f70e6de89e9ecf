/** The presentation of a reward, and the rules of a claim. */

class ClaimError extends Error {
  constructor(status, code, members = {}) {
    super(code)
    Object.assign(this, { status, code, members })
  }
}

const isActive = (reward, now) =>
  Boolean(reward.active) &&
  (reward.starts_at === null || reward.starts_at <= now) &&
  (reward.ends_at === null || now < reward.ends_at)

const iso = ms => (ms === null || ms === undefined ? null : new Date(ms).toISOString())

function present(reward, own, points, now) {
  const active = isActive(reward, now)
  const blockedBy = []
  if (!active) blockedBy.push('reward_inactive')
  if (points < reward.points_required) blockedBy.push('insufficient_points')
  if (own) blockedBy.push('already_claimed')
  if (reward.stock_remaining === 0) blockedBy.push('out_of_stock')
  return {
    id: reward.id,
    title: reward.title,
    description: reward.description,
    imageUrl: reward.image_url,
    itemType: reward.item_type,
    pointsRequired: reward.points_required,
    active,
    startsAt: iso(reward.starts_at),
    endsAt: iso(reward.ends_at),
    stockRemaining: reward.stock_remaining,
    state: own ? (own.redeemed_at ? 'redeemed' : 'claimed') : 'unclaimed',
    unlocked: points >= reward.points_required,
    claimable: blockedBy.length === 0,
    missingPoints: Math.max(0, reward.points_required - points),
    blockedBy,
    claimedAt: iso(own?.claimed_at),
    redeemedAt: iso(own?.redeemed_at),
    redemptionCode: own?.redemption_code ?? null,
  }
}

/** @throws ClaimError for the first broken rule */
function requireClaimable(reward, user, points, now) {
  if (!reward) throw new ClaimError(404, 'reward_not_found')
  if (!isActive(reward, now)) throw new ClaimError(409, 'reward_inactive')
  if (!user) throw new ClaimError(404, 'profile_not_found')
  const pointsRequired = reward.points_required
  if (points < pointsRequired) {
    throw new ClaimError(409, 'insufficient_points', {
      pointsRequired,
      points,
      missingPoints: pointsRequired - points,
    })
  }
}

module.exports = { ClaimError, present, requireClaimable }
