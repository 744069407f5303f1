// Written by `npm run dev -- tables` from the migrated database. Not to be edited by hand.

/** Row type of each table. */
export type Tables = {
  abilities: {
    name: string
    display_name: string
    description: string
  }
  account_deletions: {
    user_id: number
    asked_at: string
    due_at: string
    finished_at: string | null
  }
  account_wave_members: {
    wave_id: number
    user_id: number
    state: string
    disabled_at: string | null
  }
  account_waves: {
    id: number
    criteria: unknown
    include_verified: boolean
    totals: unknown
    accounts: number
    state: string
    action: string | null
    reason: string | null
    processed: number
    created_by: number
    created_at: string
    decided_by: number | null
    decided_at: string | null
    due_at: string | null
    finished_at: string | null
    undone_by: number | null
    undone_at: string | null
  }
  active_people: {
    day: string
    user_id: number
  }
  address_blocks: {
    id: number
    network: string
    reason: string
    ends_at: string | null
    created_by: number
    created_at: string
  }
  advertising: {
    id: number
    space_id: number
    title: string
    type: string
    data: unknown
    sort: number
    created_at: string
    updated_at: string
  }
  advertising_spaces: {
    id: number
    channel: string
    space: string
    alias: string
    allow_type: string
    format: unknown
    created_at: string
    updated_at: string
  }
  answer_onlookers: {
    answer_id: number
    user_id: number
    amount: number
    created_at: string
  }
  answer_views: {
    answer_id: number
    views: number
  }
  answers: {
    id: number
    question_id: number
    user_id: number
    body: string
    text_body: string | null
    anonymity: boolean
    adoption: boolean
    invited: boolean
    comments_count: number
    rewards_amount: number
    rewarder_count: number
    likes_count: number
    views_count: number
    onlookers_count: number
    onlookers_total: number
    created_at: string
    updated_at: string
  }
  app_versions: {
    id: number
    type: string
    version: string
    version_code: number
    description: string
    link: string
    is_forced: boolean
    created_at: string
    updated_at: string
  }
  appeals: {
    id: number
    sanction_id: number
    user_id: number
    contents: string
    state: string
    answer: string | null
    decided_by: number | null
    decided_at: string | null
    created_at: string
  }
  areas: {
    id: number
    name: string
    name_key: string
    name_grams: string[]
    parent_id: number | null
    extra: string
    created_at: string
    updated_at: string
    longitude: number | null
    latitude: number | null
  }
  audit_links: {
    entry_id: number
    content_salt: string | null
    content_hash: Buffer
    chain_position: number | null
    chain_hash: Buffer | null
  }
  audit_log: {
    id: number
    user_id: number
    action: string
    subject_type: string
    subject_id: string
    before: unknown
    after: unknown
    request_id: string
    created_at: string
    content_redacted_at: string | null
  }
  backup_checks: {
    place: string
    checked_at: string
    seconds: number
    fault: string | null
  }
  backup_runs: {
    id: number
    finished_at: string
    place: string
    bytes: number
    seconds: number
    fault: string | null
    encrypted: boolean | null
  }
  certification_categories: {
    name: string
    display_name_en: string
    display_name_zh: string
    description: string | null
    icon: string | null
    updated_at: string
  }
  certifications: {
    user_id: number
    id: number
    type: string
    status: number
    name: string
    phone: string
    number: string
    description: string
    org_name: string | null
    org_address: string | null
    files: number[]
    reject_reason: string | null
    examiner: number
    version: number
    created_at: string
    updated_at: string
  }
  chat_members: {
    chat_id: number
    user_id: number
    read_position: number
    hidden_position: number
    is_muted: boolean
    updated_at: string
    has_written: boolean
    read_tx_id: number | null
  }
  chat_messages: {
    id: number
    chat_id: number
    position: number
    sender_id: number | null
    body: string
    file_id: number | null
    link_type: string | null
    link_id: number | null
    reply_to: number | null
    mentions: number[]
    ext: unknown
    announcement_id: string | null
    tx_id: number
    created_at: string
    edited_at: string | null
    deleted_at: string | null
  }
  chats: {
    id: number
    group_id: number | null
    low_user_id: number | null
    high_user_id: number | null
    last_position: number
    last_message_id: number
    created_at: string
  }
  checkin_logs: {
    user_id: number
    day: string
    id: number
    currency: string
    amount: number
    created_at: string
    settled_before: boolean
  }
  collections: {
    user_id: number
    collectible_type: string
    collectible_id: number
    id: number
    created_at: string
  }
  comment_marks: {
    user_id: number
    mark: string
    created_at: string
  }
  comments: {
    commentable_type: string
    commentable_id: number
    id: number
    user_id: number
    target_user: number
    reply_user: number
    body: string
    created_at: string
    updated_at: string
    external_id: string | null
  }
  consents: {
    user_id: number
    version_id: number
    agreed_at: string
  }
  contact_rules: {
    user_id: number
    comments: string
    mentions: string
    quotes: string
    messages: string
    updated_at: string
  }
  daily_statistics: {
    series: string
    day: string
    value: number
  }
  data_exports: {
    id: number
    user_id: number
    language: string
    state: string
    storage_key: string
    size: number | null
    rows_count: number | null
    files_count: number | null
    created_at: string
    finished_at: string | null
    expires_at: string | null
  }
  digest_readers: {
    user_id: number
    language: string
    since: string
    created_at: string
  }
  earlier_orders: {
    id: number
    owner_id: number
    currency: string
    source: string
    source_id: number
    title: string
    body: string | null
    amount: number
    target_type: string
    target_id: string
    state: number
    provider: string | null
    number: string | null
    provider_number: string | null
    refunded: boolean
    created_at: string
  }
  famous_users: {
    user_id: number
    type: string
    created_at: string
  }
  feed_hots: {
    feed_id: number
    hot: number
    created_at: string
  }
  feed_images: {
    feed_id: number
    position: number
    file: number
    size: string | null
    mime: string
  }
  feed_search: {
    feed_id: number
    content_key: string
    content_grams: string[]
  }
  feed_topic_counts: {
    topic_id: number
    feeds_count: number
    followers_count: number
  }
  feed_topic_links: {
    index: number
    topic_id: number
    feed_id: number
    name_key: string | null
  }
  feed_topic_users: {
    topic_id: number
    user_id: number
    followed_at: string | null
    feeds_count: number
    participated_at: string | null
  }
  feed_topics: {
    id: number
    name: string
    name_key: string
    name_grams: string[]
    logo: unknown
    desc: string
    creator_user_id: number
    hot_at: string | null
    status: string
    created_at: string
    updated_at: string
  }
  feed_topics_version: {
    version: number
  }
  feed_videos: {
    feed_id: number
    video_id: number
    cover_id: number
    width: number | null
    height: number | null
  }
  feed_views: {
    feed_id: number
    views: number
    ranked: number
  }
  feedback: {
    user_id: number
    id: number
    content: string
    system_mark: number
    created_at: string
  }
  feeds: {
    id: number
    user_id: number
    feed_content: string | null
    feed_from: number
    feed_mark: string
    feed_latitude: number | null
    feed_longtitude: number | null
    feed_geohash: string | null
    repostable_type: string | null
    repostable_id: number | null
    has_images: boolean
    has_video: boolean
    has_topics: boolean
    has_price: boolean
    like_count: number
    feed_comment_count: number
    feed_view_count: number
    hot: number
    created_at: string
    updated_at: string
    deleted_at: string | null
    content_version: string
    text_version: number
  }
  file_uses: {
    id: number
    file_id: number
    owner_id: number
    channel: string | null
    raw: number | null
    created_at: string
    attached_at: string | null
  }
  file_variants: {
    storage_key: string
    source_key: string
    mime: string
    size: number
    used_at: string
  }
  files: {
    id: number
    owner_id: number
    sha256: Buffer
    md5: Buffer
    storage_key: string
    mime: string
    size: number
    width: number | null
    height: number | null
    created_at: string
    uploaded_at: string
  }
  follow_requests: {
    user_id: number
    target_id: number
    id: number
    created_at: string
  }
  group_categories: {
    id: number
    name: string
    name_key: string
    sort_by: number
    status: number
    created_at: string
    updated_at: string
  }
  group_counts: {
    group_id: number
    users_count: number
    posts_count: number
    excellen_posts_count: number
    join_income_count: number
    pinned_income_count: number
  }
  group_incomes: {
    group_id: number
    id: number
    subject: string
    type: number
    amount: number
    currency: string
    user_id: number
    created_at: string
  }
  group_member_logs: {
    group_id: number
    id: number
    user_id: number
    member_id: number
    status: number
    fee: number
    currency: string | null
    auditer: number | null
    audit_at: string | null
    created_at: string
  }
  group_members: {
    group_id: number
    user_id: number
    id: number
    audit: number
    role: string
    disabled: boolean
    created_at: string
    updated_at: string
  }
  group_post_images: {
    post_id: number
    position: number
    file: number
    size: string | null
    mime: string
  }
  group_post_views: {
    post_id: number
    views: number
  }
  group_posts: {
    id: number
    group_id: number
    user_id: number
    title: string
    title_key: string
    title_grams: string[]
    body: string
    summary: string
    has_images: boolean
    likes_count: number
    comments_count: number
    collections_count: number
    views_count: number
    excellent_at: string | null
    replied_at: string
    created_at: string
    updated_at: string
  }
  group_recommends: {
    group_id: number
    sort_by: number
    referrer: number
    created_at: string
  }
  group_reports: {
    id: number
    group_id: number
    user_id: number
    target_id: number
    type: string
    resource_id: number
    post_id: number
    subject: string
    content: string
    status: number
    cause: string | null
    handler: number | null
    created_at: string
    updated_at: string
  }
  group_tags: {
    group_id: number
    tag_id: number
  }
  group_totals: {
    one: boolean
    groups_count: number
  }
  groups: {
    id: number
    name: string
    name_key: string
    name_grams: string[]
    user_id: number
    category_id: number
    avatar: number | null
    location: string | null
    longitude: number | null
    latitude: number | null
    geo_hash: string | null
    geo_cell: number | null
    allow_feed: boolean
    mode: string
    permissions: string[]
    money: number
    summary: string | null
    notice: string | null
    audit: number
    im_group_id: string | null
    created_at: string
    updated_at: string
    deleted_at: string | null
  }
  health_checks: {
    part: string
    checked_at: string
    good_at: string | null
    failing_since: string | null
    fault: string | null
    code: string | null
    details: unknown
  }
  idempotency_keys: {
    user_id: number
    key: string
    operation: string
    fingerprint: string
    status: number
    response: unknown
    created_at: string
    refusal_code: string | null
    cleanup: number
  }
  im_accounts: {
    user_id: number
    password: string
    version: number
    synced_version: number
    provider: string | null
    attempts: number
    last_error: string | null
    leased_until: string | null
    created_at: string
    updated_at: string
    locked: boolean
  }
  im_announcements: {
    id: string
    group_id: number
    ext: unknown
  }
  im_embedded_accounts: {
    name: string
    password_hash: Buffer
    locked: boolean
  }
  im_embedded_groups: {
    id: string
    owner: string
    members: string[]
    settings: unknown
  }
  im_group_members: {
    group_id: number
    user_id: number
    joined_at: string
    start_position: number
  }
  im_groups: {
    id: number
    provider: string | null
    provider_id: string | null
    name: string
    description: string
    public: boolean
    members_only: boolean
    allow_invites: boolean
    max_users: number
    custom: string
    face_id: number | null
    creator_id: number
    owner_id: number
    version: number
    synced_version: number
    attempts: number
    last_error: string | null
    leased_until: string | null
    created_at: string
    updated_at: string
    deleted_at: string | null
    awaits_provider: boolean
  }
  im_registrations: {
    id: number
    user_id: number
    total: number
    done: number
    last_user_id: number
    last_error: string | null
    created_at: string
    finished_at: string | null
  }
  im_tokens: {
    app: string
    token: string
    expires_at: string
  }
  import_balances: {
    owner_id: number
    currency: string
    source: string
    amount: number
  }
  import_chunks: {
    source_table: string
    chunk: number
    checksum: string
    rows: number
    imported: number
    merged: number
    left_out: number
  }
  import_claims: {
    place: string
    place_id: number
    use_id: number
    channel: string
    raw: number | null
  }
  import_facts: {
    source_table: string
    chunk: number
    kind: string
    id: number
    was: string | null
    changed: boolean
  }
  import_files: {
    id: number
    path: string
    mime: string
    width: number | null
    height: number | null
  }
  import_holds: {
    subject_type: string
    subject_id: number
    owner_id: number
    currency: string
    amount: number
    kind: string
    refund_kind: string
    given_back: boolean
  }
  import_letters: {
    user_id: number
    queued_at: string
  }
  import_notes: {
    id: number
    source_table: string
    chunk: number
    row_key: string
    outcome: string
    reason: string
    source_column: string | null
    was: string | null
    became: string | null
  }
  import_pictures: {
    place: string
    id: number
    owner_id: number
    node: string
    path: string
  }
  import_progress: {
    file_hash: string
    kind: string
    lines: number
    bad: number
    updated_at: string
  }
  import_targets: {
    source_table: string
    source_id: number
    target: string
  }
  import_uploads: {
    content_id: number
    owner_id: number
    file_id: number
  }
  import_withdrawn: {
    user_id: number
    id: string
    cause_type: string
    cause_id: number
  }
  imports: {
    one: boolean
    source: string
    options: unknown
    runs: number
    started_at: string
    finished_at: string | null
    closed_at: string | null
    finished_runs: number
    accepted: unknown
    verified_run: number | null
    booked_up_to: number | null
  }
  invitation_uses: {
    user_id: number
    invitation_id: number | null
    inviter_id: number
    created_at: string
  }
  invitations: {
    id: number
    code: string
    user_id: number
    max_uses: number
    note: string | null
    created_at: string
    expires_at: string
    ended_at: string | null
  }
  last_active_days: {
    user_id: number
    last_day: string
  }
  ledger_accounts: {
    owner_id: number
    currency: string
    balance: number
    income: number
    expenses: number
    created_at: string
  }
  ledger_checkpoints: {
    owner_id: number
    currency: string
    posting_id: number
    balance: string
    created_at: string
  }
  ledger_postings: {
    owner_id: number
    currency: string
    id: number
    transaction_id: number
    amount: number
    balance_after: number | null
    counterpart: number
    kind: string
    subject_type: string
    subject_id: number
    title: string | null
    body: string | null
    created_at: string
  }
  likes: {
    likeable_type: string
    likeable_id: number
    user_id: number
    id: number
    target_user: number
    created_at: string
    counted: boolean
  }
  linked_accounts: {
    provider: string
    subject: string
    user_id: number
    created_at: string
    used_at: string | null
  }
  mail_texts: {
    mail: string
    languages: string
    subject_en: string | null
    text_en: string | null
    subject_zh: string | null
    text_zh: string | null
    updated_at: string
  }
  mentions: {
    content_type: string
    content_id: number
    name_key: string
    user_id: number
  }
  music_singers: {
    id: number
    name: string
    name_key: string
    name_grams: string[]
    cover: number | null
    cover_size: string | null
    created_at: string
    updated_at: string
    deleted_at: string | null
  }
  music_song_counts: {
    song_id: number
    taste_count: number
    share_count: number
    comment_count: number
  }
  music_songs: {
    id: number
    external_id: string | null
    title: string
    title_key: string
    title_grams: string[]
    singer_id: number
    storage: number | null
    last_time: number
    lyric: string | null
    sort: number
    created_at: string
    updated_at: string
    deleted_at: string | null
  }
  music_special_counts: {
    special_id: number
    share_count: number
    comment_count: number
    collect_count: number
  }
  music_special_songs: {
    special_id: number
    song_id: number
  }
  music_specials: {
    id: number
    external_id: string | null
    title: string
    title_key: string
    title_grams: string[]
    intro: string | null
    storage: number | null
    storage_size: string | null
    sort: number
    created_at: string
    updated_at: string
    deleted_at: string | null
  }
  muted_words: {
    user_id: number
    word_key: string
    word: string
    id: number
    created_at: string
    ends_at: string | null
  }
  news: {
    id: number
    external_id: string | null
    title: string
    title_key: string
    title_grams: string[]
    subject: string
    subject_given: boolean
    content: string
    from: string | null
    author: string | null
    user_id: number
    category_id: number
    image: number | null
    image_size: string | null
    audit_status: number
    audit_count: number
    mark: string | null
    contribute_amount: number
    fee_state: string
    recommended_at: string | null
    published_at: string | null
    created_at: string
    updated_at: string
  }
  news_categories: {
    id: number
    name: string
    name_key: string
    rank: number
    created_at: string
    updated_at: string
  }
  news_counts: {
    news_id: number
    digg_count: number
    comment_count: number
    hits: number
  }
  news_deletions: {
    id: number
    news_id: number
    user_id: number
    title: string
    state: string
    mark: string | null
    decided_by: number | null
    decided_at: string | null
    created_at: string
  }
  news_subscriptions: {
    user_id: number
    category_id: number
  }
  news_tags: {
    news_id: number
    tag_id: number
  }
  notices: {
    id: number
    user_id: number
    contents: string
    user_ids: number[] | null
    status: string
    last_user_id: number
    sent: number
    total: number
    created_at: string
    finished_at: string | null
  }
  notification_counts: {
    user_id: number
    type: string
    unread: number
    total: number
    last_seq: number
    read_seq: number
    mutual_seq: number
  }
  notification_cursors: {
    user_id: number
    last_seq: number
  }
  notification_reads: {
    user_id: number
    type: string
    seq: number
    read_at: string
  }
  notifications: {
    user_id: number
    seq: number
    id: string
    type: string
    sender_id: number
    data: unknown
    cause_type: string
    cause_id: number
    created_at: string
  }
  paid_nodes: {
    id: number
    channel: string
    raw: number
    subject: string | null
    body: string | null
    amount: number
    user_id: number
    extra: string | null
    closed_at: string | null
    free: boolean
    created_at: string
    updated_at: string
  }
  payment_differences: {
    id: number
    provider: string
    day: string
    kind: string
    number: string
    recharge_id: number | null
    expected: number | null
    found: number | null
    resolved_by: number | null
    resolved_at: string | null
    remark: string | null
    created_at: string
    found_currency: string | null
  }
  payment_notices: {
    id: number
    provider: string
    source: string
    digest: Buffer
    order_number: string | null
    payment_number: string | null
    facts: unknown
    state: string
    fault: string | null
    recharge_id: number | null
    ask_at: string
    asks: number
    received_at: string
  }
  payment_refunds: {
    id: number
    recharge_id: number
    provider: string
    refund_number: string
    amount: number
    state: string
    fault: string | null
    own_part: number
    site_part: number
    reason: string | null
    asked_by: number | null
    ask_at: string
    asks: number
    created_at: string
    updated_at: string
  }
  payment_statements: {
    provider: string
    day: string
    lines: number
    differences: number
    created_at: string
  }
  payments: {
    recharge_id: number
    provider: string
    method: string
    order_number: string
    session: string | null
    payment_number: string | null
    charged: number
    charge_currency: string
    state: string
    fault: string | null
    refunded: number
    dispute: string | null
    expires_at: string
    paid_at: string | null
    ask_at: string
    asks: number
    stated_on: string | null
    created_at: string
    updated_at: string
    told_refunded: number
    provider_fee: number | null
    fee_currency: string | null
    lost_amount: number
    dispute_number: string | null
  }
  period_sum_changes: {
    ranking: string
    user_id: number
    made_at: string
    by: number
  }
  period_sum_windows: {
    ranking: string
    period: string
    since: string | null
  }
  period_sums: {
    ranking: string
    period: string
    user_id: number
    total: number
  }
  pin_counters: {
    user_id: number
    name: string
    seen_at: string
  }
  pins: {
    id: number
    channel: string
    thing_id: number
    target_id: number
    user_id: number
    decider_id: number
    amount: number
    day: number
    state: string
    expires_at: string | null
    decided_by: number | null
    decided_at: string | null
    created_at: string
    updated_at: string
    settled_before: boolean
  }
  private_accounts: {
    user_id: number
    created_at: string
  }
  purchases: {
    user_id: number
    node_id: number
    id: number
    currency: string
    amount: number
    created_at: string
    settled_before: boolean
  }
  push_deliveries: {
    id: number
    day: string
    way: string
    sent: number
    failed: number
    rejected: number
    gone: number
  }
  push_devices: {
    user_id: number
    token: string
    platform: string
    language: string
    family: string
    updated_at: string
    web_p256dh: string | null
    web_auth: string | null
  }
  push_preferences: {
    user_id: number
    off_types: string[]
    shows_text: boolean
    quiet_from: number | null
    quiet_until: number | null
    quiet_zone: string | null
    updated_at: string
  }
  question_applications: {
    id: number
    question_id: number
    user_id: number
    amount: number
    state: string
    decided_by: number | null
    decided_at: string | null
    created_at: string
  }
  question_invitations: {
    question_id: number
    user_id: number
  }
  question_people: {
    user_id: number
    income: number
    likes_count: number
  }
  question_topic_applications: {
    id: number
    user_id: number
    name: string
    name_key: string
    description: string
    state: string
    mark: string | null
    decided_by: number | null
    decided_at: string | null
    created_at: string
  }
  question_topic_counts: {
    topic_id: number
    questions_count: number
    follows_count: number
    experts_count: number
  }
  question_topic_experts: {
    topic_id: number
    user_id: number
    created_at: string
  }
  question_topic_followers: {
    user_id: number
    topic_id: number
    created_at: string
  }
  question_topic_links: {
    topic_id: number
    question_id: number
  }
  question_topics: {
    id: number
    name: string
    name_key: string
    name_grams: string[]
    description: string
    avatar: unknown
    created_at: string
    updated_at: string
  }
  question_views: {
    question_id: number
    views: number
  }
  question_watchers: {
    user_id: number
    question_id: number
    id: number
    created_at: string
  }
  questions: {
    id: number
    user_id: number
    subject: string
    subject_key: string
    subject_grams: string[]
    body: string | null
    text_body: string | null
    anonymity: boolean
    amount: number
    bounty: string
    automaticity: boolean
    look: boolean
    excellent: boolean
    status: number
    comments_count: number
    answers_count: number
    watchers_count: number
    likes_count: number
    views_count: number
    created_at: string
    updated_at: string
  }
  recharges: {
    id: number
    owner_id: number
    currency: string
    provider: string
    amount: number
    credited: number
    state: string
    reference: string | null
    remark: string | null
    decided_by: number | null
    decided_at: string | null
    created_at: string
    updated_at: string
  }
  recovery_codes: {
    user_id: number
    hash: string
  }
  registration_requests: {
    id: number
    user_id: number | null
    name: string
    introduction: string | null
    state: string
    remark: string | null
    decided_by: number | null
    decided_at: string | null
    created_at: string
  }
  reports: {
    id: number
    user_id: number
    target_user: number
    reportable_type: string
    reportable_id: number
    subject: string
    reason: string | null
    status: number
    mark: string | null
    handled_by: number | null
    handled_at: string | null
    created_at: string
    updated_at: string
  }
  request_minutes: {
    at: string
    requests: number
    faults: number
    times: number[]
    own_address: number
    other_address: number
    other_origin: string | null
    untrusted_proxy: number
    proxy: string | null
  }
  rewards: {
    rewardable_type: string
    rewardable_id: number
    id: number
    user_id: number
    target_user: number
    amount: number
    created_at: string
    settled_before: boolean
  }
  role_abilities: {
    role_id: number
    ability: string
  }
  roles: {
    id: number
    name: string
    display_name: string
    description: string
    fixed: boolean
    created_at: string
    updated_at: string
  }
  sanctions: {
    id: number
    user_id: number
    kind: string
    reason: string
    imposed_by: number
    report_id: number | null
    ends_at: string | null
    lifted_at: string | null
    lifted_by: number | null
    created_at: string
  }
  schema_migrations: {
    name: string
    hash: string
    applied_at: string
  }
  second_factors: {
    user_id: number
    secret: string
    confirmed_at: string | null
    last_step: number
    failures: number
    failures_since: string
    created_at: string
  }
  secret_checks: {
    name: string
    value: string
  }
  sensitive_words: {
    id: number
    word: string
    word_key: string
    type: string
    replacement: string | null
    created_at: string
    updated_at: string
  }
  server_nodes: {
    id: string
    host: string
    seen_at: string
    connections: number
    store: string | null
    settings: string[]
  }
  settings: {
    name: string
    value: unknown
    updated_at: string
  }
  site_epoch: {
    singleton: boolean
    name: string
    began_at: string
    reason: string | null
    tx_offset: number
    system_identifier: string | null
    database_oid: number | null
    table_oid: number | null
    timeline: number | null
    is_synchronous: boolean
  }
  site_page_versions: {
    id: number
    page_id: number
    language: string
    title: string
    body: string
    edited_by: number | null
    created_at: string
  }
  site_pages: {
    id: number
    slug: string
    is_published: boolean
    in_footer: boolean
    at_sign_up: boolean
    place: number
    created_at: string
    deleted_at: string | null
  }
  site_pictures: {
    file: string
    setting: string
    mime: string
    width: number
    height: number
    bytes: Buffer
  }
  statistic_series: {
    series: string
    counted_until: string
  }
  storage_nodes: {
    node: string
    owner_id: number
    md5: Buffer
    declared_size: number
    mime: string
    size: number | null
    width: number | null
    height: number | null
    created_at: string
    uploaded_at: string | null
    used_at: string | null
  }
  tag_categories: {
    id: number
    name: string
    name_key: string
    weight: number
    created_at: string
  }
  tags: {
    id: number
    tag_category_id: number
    name: string
    name_key: string
    weight: number
    created_at: string
  }
  text_message_counts: {
    day: string
    scope: string
    counted: string
    sent: number
  }
  text_messages: {
    id: number
    service: string
    service_reference: string | null
    purpose: string | null
    country: string | null
    number_ending: string | null
    state: string
    fault: string | null
    created_at: string
    reported_at: string | null
  }
  token_families: {
    user_id: number
    id: string
    created_at: string
    revoked_at: string | null
    user_agent: string | null
    network: string | null
    used_at: string
  }
  tokens: {
    hash: Buffer
    user_id: number
    family: string
    issued_at: string
    expires_at: string
    refresh_until: string
    exchanged_at: string | null
  }
  used_link_proofs: {
    digest: Buffer
    expires_at: string
  }
  user_blocks: {
    user_id: number
    target_id: number
    id: number
    created_at: string
  }
  user_counts: {
    user_id: number
    likes_count: number
    comments_count: number
    followers_count: number
    followings_count: number
    feeds_count: number
    questions_count: number
    answers_count: number
    checkin_count: number
    last_checkin_count: number
    updated_at: string
    friends_count: number | null
    relations_version: string
  }
  user_follows: {
    user_id: number
    target_id: number
    id: number
    created_at: string
  }
  user_mutes: {
    user_id: number
    target_id: number
    id: number
    created_at: string
    ends_at: string | null
  }
  user_places: {
    user_id: number
    longitude: number
    latitude: number
    spot: string
    created_at: string
    updated_at: string
  }
  user_roles: {
    user_id: number
    role_id: number
  }
  user_tags: {
    user_id: number
    tag_id: number
    created_at: string
  }
  users: {
    id: number
    name: string
    name_key: string
    name_grams: string[]
    email: string | null
    email_key: string | null
    phone: string | null
    password: string | null
    bio: string | null
    sex: number
    location: string | null
    avatar: unknown
    bg: unknown
    verified: unknown
    email_verified_at: string | null
    phone_verified_at: string | null
    recommended_at: string | null
    created_at: string
    updated_at: string
    deleted_at: string | null
    erased_at: string | null
    found_by_phone: boolean
    content_version: string
  }
  verification_codes: {
    account: string
    purpose: string
    code_hash: string
    attempts: number
    created_at: string
    expires_at: string
    sent: number
    sent_since: string
  }
  web_push_keys: {
    only_row: boolean
    public_key: string
    private_key: string
    created_at: string
  }
  webhook_deliveries: {
    id: number
    endpoint_id: number
    event_id: number
    status: string
    attempts: number
    next_attempt_at: string
    log: unknown
    created_at: string
  }
  webhook_endpoints: {
    id: number
    url: string
    description: string
    types: string[] | null
    secret: string
    former_secret: string | null
    former_until: string | null
    enabled: boolean
    failures: number
    paused_until: string | null
    created_at: string
    updated_at: string
  }
  webhook_events: {
    id: number
    key: string
    type: string
    body: string
    created_at: string
  }
  withdrawals: {
    id: number
    owner_id: number
    currency: string
    amount: number
    payout: number
    type: string | null
    account: string | null
    state: string
    remark: string | null
    decided_by: number | null
    decided_at: string | null
    created_at: string
    updated_at: string
  }
  withheld_follows: {
    user_id: number
    target_id: number
    id: number
    created_at: string
    notice: unknown
  }
  worker_lease: {
    singleton: boolean
    node: string | null
    leased_until: string
  }
}

/** Some columns of a table, as a query gives them. */
export type Row<Table extends keyof Tables, Column extends keyof Tables[Table]> = Pick<Tables[Table], Column>
