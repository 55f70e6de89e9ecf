/**
 * Every table, written once and defined for either dialect (`db/columns.ts`). After a change here:
 * `bun run generate` writes the migrations of both. Rules live here as constraints wherever one can say them.
 */
import { sql } from 'drizzle-orm'
import type { ColumnKit } from './columns.ts'

export type Tables = ReturnType<typeof defineTables>

export function defineTables(kit: ColumnKit) {
  const { table, id, text, integer, boolean, timestamp } = kit

  /** Clubs a fan can follow. Catalogue: the id is the importer's slug. */
  const teams = table('teams', {
    id: id().primaryKey(),
    name: text().notNull(),
    shortName: text().notNull(),
    city: text(),
    country: text(),
    primaryColor: text(),
    secondaryColor: text(),
    crestUrl: text(),
    active: boolean().notNull(),
    createdAt: timestamp().notNull(),
    updatedAt: timestamp().notNull(),
  })

  /** One row a fan: who they are at the provider, and what they wrote themselves. */
  const users = table(
    'users',
    {
      id: id().primaryKey(),
      provider: id().notNull(),
      subject: id().notNull(),
      displayName: text(),
      handle: id(),
      avatarUrl: text(),
      bio: text(),
      country: text(),
      locale: text(),
      favoriteTeamId: id().references(() => teams.id),
      /** Logged out everywhere at: session tokens issued up to then are refused. */
      sessionsEndedAt: timestamp(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.uniqueIndex('users_provider_subject_unique').on(t.provider, t.subject),
      kit.uniqueIndex('users_handle_unique').on(t.handle),
    ],
  )

  /** The provider's own data, mirrored; kept apart from `users`, so that a sync never overwrites what a fan wrote. */
  const identities = table('identities', {
    userId: id()
      .primaryKey()
      .references(() => users.id),
    email: text(),
    emailVerified: boolean(),
    name: text(),
    picture: text(),
    /** The provider's `updated_at`, and when it said so: what is older in this order changes nothing. */
    updatedAt: timestamp(),
    statedAt: timestamp(),
    syncedAt: timestamp(),
    /** The provider deleted the user: a tombstone that no later update undoes. */
    deletedAt: timestamp(),
  })

  /** A sync that the provider's outage put off. The row is the job: it survives a restart, and goes when it is made up. */
  const deferredSyncs = table(
    'deferred_syncs',
    {
      userId: id()
        .primaryKey()
        .references(() => users.id),
      /** The fan's session token, encrypted: without it userinfo cannot be asked. */
      sealedToken: text().notNull(),
      tokenExpiresAt: timestamp().notNull(),
      attempts: integer().notNull(),
      nextAttemptAt: timestamp().notNull(),
    },
    t => [kit.index('deferred_syncs_due').on(t.nextAttemptAt)],
  )

  /** A device signed in with native tokens: a family of refresh tokens, one generation after another. */
  const nativeSessions = table(
    'native_sessions',
    {
      id: id().primaryKey(),
      /** Whose it is, as `users` names them: signing in makes no user record yet. */
      provider: id().notNull(),
      subject: id().notNull(),
      deviceName: text(),
      /** `iat` of the session token that it was exchanged for: a logout everywhere since then ends it, however they race. */
      originIssuedAt: timestamp().notNull(),
      /** That token, encrypted, until it expires: with it the app's onboarding can ask the provider. */
      sealedToken: text(),
      tokenExpiresAt: timestamp().notNull(),
      /** The generation of refresh tokens that is good now; every rotation makes the next. */
      generation: integer().notNull(),
      rotatedAt: timestamp().notNull(),
      createdAt: timestamp().notNull(),
      expiresAt: timestamp().notNull(),
      revokedAt: timestamp(),
    },
    t => [
      kit.index('native_sessions_owner').on(t.provider, t.subject, t.id),
      kit.index('native_sessions_expiry').on(t.expiresAt),
    ],
  )

  /** Refresh tokens by the SHA-256 of their text, which is kept nowhere. Spent ones stay, to know them again. */
  const refreshTokens = table(
    'refresh_tokens',
    {
      hash: id().primaryKey(),
      sessionId: id()
        .notNull()
        .references(() => nativeSessions.id),
      generation: integer().notNull(),
      expiresAt: timestamp().notNull(),
    },
    t => [
      kit.index('refresh_tokens_session').on(t.sessionId),
      kit.index('refresh_tokens_expiry').on(t.expiresAt),
    ],
  )

  /** Session tokens that were logged out, until they expire. */
  const revokedTokens = table(
    'revoked_tokens',
    {
      /** SHA-256 over the provider and the token's `jti`. */
      id: id().primaryKey(),
      expiresAt: timestamp().notNull(),
    },
    t => [kit.index('revoked_tokens_expiry').on(t.expiresAt)],
  )

  /** The primary key is the rule: onboarding completes once. */
  const onboardings = table('onboardings', {
    userId: id()
      .primaryKey()
      .references(() => users.id),
    completedAt: timestamp().notNull(),
  })

  /** Enrolment in the global leaderboard, at most once. */
  const leaderboardEntries = table('leaderboard_entries', {
    userId: id()
      .primaryKey()
      .references(() => users.id),
    enrolledAt: timestamp().notNull(),
  })

  /** Head of each fan's ledger; its row lock makes entries of one fan follow one another. */
  const pointsAccounts = table(
    'points_accounts',
    {
      userId: id()
        .primaryKey()
        .references(() => users.id),
      balance: integer().notNull(),
      /** Sum of all that was ever earned; spending never lowers it. */
      lifetime: integer().notNull(),
      /** `seq` and `hash` of the newest entry. */
      seq: integer().notNull(),
      headHash: text().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.check('points_accounts_balance_not_negative', sql`${t.balance} >= 0`),
      kit.check('points_accounts_balance_exact', sql`${t.balance} <= 9007199254740991`),
      kit.check('points_accounts_lifetime_exact', sql`${t.lifetime} between 0 and 9007199254740991`),
    ],
  )

  /** The append-only ledger: triggers refuse UPDATE and DELETE (hand-written migrations). */
  const pointsEntries = table(
    'points_entries',
    {
      id: id().primaryKey(),
      userId: id()
        .notNull()
        .references(() => users.id),
      seq: integer().notNull(),
      delta: integer().notNull(),
      balanceAfter: integer().notNull(),
      reason: id().notNull(),
      ref: id().notNull(),
      createdAt: timestamp().notNull(),
      hash: text().notNull(),
    },
    t => [
      kit.uniqueIndex('points_entries_user_seq_unique').on(t.userId, t.seq),
      kit.uniqueIndex('points_entries_user_reason_ref_unique').on(t.userId, t.reason, t.ref),
      kit.check('points_entries_delta_not_zero', sql`${t.delta} <> 0`),
      kit.check('points_entries_balance_not_negative', sql`${t.balanceAfter} >= 0`),
    ],
  )

  /** What fans can claim. Catalogue: the id is the importer's slug. */
  const rewards = table(
    'rewards',
    {
      id: id().primaryKey(),
      title: text().notNull(),
      description: text().notNull(),
      imageUrl: text(),
      itemType: text().notNull(),
      pointsRequired: integer().notNull(),
      active: boolean().notNull(),
      startsAt: timestamp(),
      endsAt: timestamp(),
      /** Null: without limit. */
      stockRemaining: integer(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.index('rewards_active_order').on(t.active, t.pointsRequired, t.id),
      kit.check('rewards_points_not_negative', sql`${t.pointsRequired} >= 0`),
      kit.check('rewards_stock_not_negative', sql`${t.stockRemaining} >= 0`),
    ],
  )

  /** A claim, later redeemed. The primary key is the rule: one claim a fan and reward. */
  const userRewards = table(
    'user_rewards',
    {
      userId: id()
        .notNull()
        .references(() => users.id),
      rewardId: id()
        .notNull()
        .references(() => rewards.id),
      claimedAt: timestamp().notNull(),
      redeemedAt: timestamp(),
      redemptionCode: id(),
    },
    t => [
      kit.primaryKey({ name: 'user_rewards_pk', columns: [t.userId, t.rewardId] }),
      kit.uniqueIndex('user_rewards_redemption_code_unique').on(t.redemptionCode),
      kit.check(
        'user_rewards_code_with_redemption',
        sql`(${t.redeemedAt} is null) = (${t.redemptionCode} is null)`,
      ),
    ],
  )

  /** Things that packs hold. Catalogue: the id is the importer's slug. */
  const collectibles = table(
    'collectibles',
    {
      id: id().primaryKey(),
      name: text().notNull(),
      description: text().notNull(),
      imageUrl: text(),
      rarity: id().notNull(),
      /** How many have been drawn: the next one's serial number is one more. */
      minted: integer().notNull(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [kit.check('collectibles_minted_not_negative', sql`${t.minted} >= 0`)],
  )

  /** What fans buy. Catalogue: the id is the importer's slug. */
  const packs = table(
    'packs',
    {
      id: id().primaryKey(),
      name: text().notNull(),
      description: text().notNull(),
      imageUrl: text(),
      /** Points, or minor units of an ISO 4217 currency. */
      priceAmount: integer().notNull(),
      priceCurrency: id().notNull(),
      itemsPerPack: integer().notNull(),
      active: boolean().notNull(),
      startsAt: timestamp(),
      endsAt: timestamp(),
      /** Null: without limit. What is held is counted from live purchases, never kept. */
      supplyTotal: integer(),
      supplySold: integer().notNull(),
      createdAt: timestamp().notNull(),
      updatedAt: timestamp().notNull(),
    },
    t => [
      kit.check('packs_price_not_negative', sql`${t.priceAmount} >= 0`),
      kit.check('packs_items', sql`${t.itemsPerPack} between 1 and 100`),
      kit.check(
        'packs_supply',
        sql`${t.supplySold} >= 0 and (${t.supplyTotal} is null or ${t.supplySold} <= ${t.supplyTotal})`,
      ),
    ],
  )

  /** What a pack may hold, with its share in millionths; the shares of a pack add up to a million. */
  const packItems = table(
    'pack_items',
    {
      packId: id()
        .notNull()
        .references(() => packs.id),
      collectibleId: id()
        .notNull()
        .references(() => collectibles.id),
      weight: integer().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'pack_items_pk', columns: [t.packId, t.collectibleId] }),
      kit.check('pack_items_weight_positive', sql`${t.weight} >= 1`),
    ],
  )

  /** A purchase holds one of the supply while it is pending and `expiresAt` has not come: the clock expires it. */
  const packPurchases = table(
    'pack_purchases',
    {
      id: id().primaryKey(),
      packId: id()
        .notNull()
        .references(() => packs.id),
      userId: id()
        .notNull()
        .references(() => users.id),
      /** `pending`, `completed`, `refund_due` (paid, but too late) or `refunded`; `expired` is never written. */
      status: id().notNull(),
      priceAmount: integer().notNull(),
      priceCurrency: id().notNull(),
      /** Secret until the pack is opened. */
      serverSeed: text().notNull(),
      seedHash: text().notNull(),
      /** The canonical terms of the draw, frozen here. */
      terms: text().notNull(),
      createdAt: timestamp().notNull(),
      expiresAt: timestamp().notNull(),
      completedAt: timestamp(),
      refundedAt: timestamp(),
      /** A reference of a payment serves one purchase. */
      paymentReference: id(),
    },
    t => [
      kit.index('pack_purchases_holds').on(t.packId, t.status, t.expiresAt),
      kit.index('pack_purchases_user').on(t.userId, t.id),
      kit.uniqueIndex('pack_purchases_payment_unique').on(t.paymentReference),
      kit.check(
        'pack_purchases_status',
        sql`${t.status} in ('pending', 'completed', 'refund_due', 'refunded')`,
      ),
      kit.check('pack_purchases_completed', sql`${t.status} <> 'completed' or ${t.completedAt} is not null`),
    ],
  )

  /** A fan's pack: sealed until `openedAt`. */
  const userPacks = table(
    'user_packs',
    {
      id: id().primaryKey(),
      purchaseId: id()
        .notNull()
        .references(() => packPurchases.id),
      packId: id()
        .notNull()
        .references(() => packs.id),
      userId: id()
        .notNull()
        .references(() => users.id),
      createdAt: timestamp().notNull(),
      openedAt: timestamp(),
      clientSeed: text(),
      /** Taken back unopened: it cannot be opened any more. */
      revokedAt: timestamp(),
    },
    t => [
      kit.uniqueIndex('user_packs_purchase_unique').on(t.purchaseId),
      kit.index('user_packs_user').on(t.userId, t.id),
      kit.check('user_packs_opened_or_revoked', sql`${t.openedAt} is null or ${t.revokedAt} is null`),
      kit.check('user_packs_client_seed', sql`(${t.openedAt} is null) = (${t.clientSeed} is null)`),
    ],
  )

  /** What a fan drew. A collectible's serial numbers run from 1 without a gap. */
  const userItems = table(
    'user_items',
    {
      userPackId: id()
        .notNull()
        .references(() => userPacks.id),
      position: integer().notNull(),
      userId: id()
        .notNull()
        .references(() => users.id),
      collectibleId: id()
        .notNull()
        .references(() => collectibles.id),
      serialNumber: integer().notNull(),
      createdAt: timestamp().notNull(),
    },
    t => [
      kit.primaryKey({ name: 'user_items_pk', columns: [t.userPackId, t.position] }),
      kit.uniqueIndex('user_items_collectible_serial_unique').on(t.collectibleId, t.serialNumber),
      kit.index('user_items_collection').on(t.userId, t.collectibleId, t.serialNumber),
    ],
  )

  return {
    teams,
    users,
    identities,
    deferredSyncs,
    nativeSessions,
    refreshTokens,
    revokedTokens,
    onboardings,
    leaderboardEntries,
    pointsAccounts,
    pointsEntries,
    rewards,
    userRewards,
    collectibles,
    packs,
    packItems,
    packPurchases,
    userPacks,
    userItems,
  }
}
