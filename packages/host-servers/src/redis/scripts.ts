/**
 * Version of the keys. A change that older packages would misread raises it. It is then written under `layout`, so that
 * workers of those packages are refused. No key means 1: a field more in a hash does not raise it.
 */
export const LAYOUT_VERSION = 1

/** Begins the error of a script that met keys of another layout. */
export const UNKNOWN_LAYOUT = 'UNKNOWNLAYOUT'

/**
 * Functions that every script begins with. All keys of a host have one hash tag, so that they are in one slot of a cluster;
 * the first key of a script is this tag.
 */
const PRELUDE_LUA = `
local P = KEYS[1]
local function key(...) return P .. ':' .. table.concat({...}, ':') end
local layout = redis.call('GET', key('layout'))
if layout and layout ~= '${LAYOUT_VERSION}' then return redis.error_reply('${UNKNOWN_LAYOUT} ' .. layout) end
local function chatKey(id) return key('chat', id) end
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
local function text(n) return string.format('%.0f', n) end
-- A key that is not a hash has no fields: one damaged chat must not stop a script about many.
local function get(id, field)
  local value = redis.pcall('HGET', chatKey(id), field)
  return type(value) ~= 'table' and value
end
local function number(id, field) return tonumber(get(id, field) or '') or 0 end
-- A damaged chat has only its identifier.
local function all(id)
  local fields = redis.pcall('HGETALL', chatKey(id))
  if fields.err then fields = {} end
  table.insert(fields, 'id')
  table.insert(fields, id)
  return fields
end
local function held(id, epoch)
  local found = redis.call('HMGET', chatKey(id), 'state', 'epoch')
  return found[1] == 'running' and found[2] == epoch
end
local function kindOf(id)
  local found = redis.call('HMGET', chatKey(id), 'name', 'version')
  return tostring(found[1]) .. '@' .. tostring(found[2])
end
-- The score of a chat that may run at once: before every time, whatever the clock says, and by its priority.
local function atOnce(id) return now - 100000000000000 - number(id, 'priority') * 50000000000000 end
-- Setbacks in a row, which an entry saved in between ends; and the backoff in milliseconds after them, with jitter.
local function setbacks(id, more)
  if number(id, 'length') ~= number(id, 'kept') then return more end
  return number(id, 'setbacks') + more
end
local function backoff(count)
  if count <= 2 then return 0 end
  local share = micros % 65536 * 40503 % 65536 / 65536
  return math.floor(math.min(900000, 1000 * 2 ^ count) * (0.5 + share / 2))
end
-- Moves a chat from the indexes of its state to those of another; due is its score among the chats to claim.
local function move(id, to, due)
  local from, kind = get(id, 'state'), kindOf(id)
  if from then
    redis.call('ZREM', key('state', from), id)
    redis.call('ZREM', key('kind', kind, from), id)
  end
  redis.call('ZREM', key('due', kind), id)
  if not to then return end
  redis.call('ZADD', key('state', to), 0, id)
  redis.call('ZADD', key('kind', kind, to), 0, id)
  redis.call('HSET', chatKey(id), 'state', to)
  if due then redis.call('ZADD', key('due', kind), text(due), id) end
end
-- Commands from outside have a token: one that is sent again after its answer was lost is not done twice.
local function done(name) return redis.call('EXISTS', key('done', name)) == 1 end
local function note(name) redis.call('SET', key('done', name), 1, 'EX', 600) end
-- The revision of a chat is the time of its last change in microseconds, so that none comes twice. All are in one hash, which
-- is read at once for many chats.
local function revise(id) redis.call('HSET', key('revisions'), id, text(micros)) end
local function changed(id)
  revise(id)
  redis.call('PUBLISH', P .. ':changed', id)
end
local function open(id)
  local state = get(id, 'state')
  return state == 'waiting' or state == 'waiting-to-retry' or state == 'running' or state == 'suspended'
end
-- Ends the failures of a chat in a row.
local function noRetry(id) redis.call('HDEL', chatKey(id), 'retryKind', 'retrySince', 'retries') end
local function addQuestion(id, place, json)
  local n = redis.call('INCR', key('question-count'))
  redis.call('ZADD', key('questions'), n, n)
  redis.call('HSET', key('question'), n, id .. '\\n' .. json)
  redis.call('HSET', key('asks', id), place, n)
end
local function dropQuestion(id, place)
  local n = redis.call('HGET', key('asks', id), place)
  if not n then return end
  redis.call('ZREM', key('questions'), n)
  redis.call('HDEL', key('question'), n)
  redis.call('HDEL', key('asks', id), place)
end
-- The indexes of chats by their submission: those of its tenant and tags, and that of all but parts.
local function indexes(id)
  local keys, tenant, tags = {}, get(id, 'tenant'), get(id, 'tags')
  if get(id, 'part') then return keys end
  table.insert(keys, key('submitted'))
  if tenant then table.insert(keys, key('tenant', tenant)) end
  local isRead, list = pcall(cjson.decode, tags or '')
  for _, tag in ipairs(isRead and type(list) == 'table' and list or {}) do table.insert(keys, key('tag', tag)) end
  return keys
end
local function finish(id, state, outcome)
  redis.call('HSET', chatKey(id), 'ended', text(now), 'outcome', outcome)
  redis.call('HDEL', chatKey(id), 'wakesAt')
  move(id, state)
  redis.call('ZADD', key('ended'), text(now), id)
  for _, place in ipairs(redis.call('HKEYS', key('asks', id))) do dropQuestion(id, place) end
  changed(id)
end
local function again(id)
  redis.call('HINCRBY', chatKey(id), 'turn', 1)
  move(id, 'waiting', atOnce(id))
end
-- The score of a chat is the time until which somebody follows it.
local function followed(id) return (tonumber(redis.call('ZSCORE', key('followers'), id) or '') or 0) > now end
-- Events that are appended together are one entry of the stream. Readers that do not follow the chat compare revisions.
local function log(id, events)
  redis.call('XADD', key('events', id), '*', 'events', events)
  if followed(id) then changed(id) else revise(id) end
end
-- Notes where claims begin to read: at the entry of the last checkpoint among those behind the first length ones, and at the
-- first message that was not used before it. What was asked before is asked no more: it returns the index of the first entry
-- of a write whose questions count.
local function noteCheckpoint(id, length, index, seq, messages)
  if index == '' then return 0 end
  for _, place in ipairs(redis.call('HKEYS', key('asks', id))) do dropQuestion(id, place) end
  redis.call('HSET', chatKey(id), 'firstEntry', text(length + tonumber(index)), 'entriesBefore', seq, 'messagesBefore', messages)
  return tonumber(index)
end
local function wake(id)
  redis.call('HINCRBY', chatKey(id), 'heard', 1)
  redis.call('HDEL', chatKey(id), 'wakesAt')
  if get(id, 'state') == 'suspended' then again(id) end
  changed(id)
  return all(id)
end
`

/** Name of a script. */
export type ScriptName =
  | 'submit'
  | 'claim'
  | 'renew'
  | 'append'
  | 'finish'
  | 'suspend'
  | 'release'
  | 'putOff'
  | 'decide'
  | 'send'
  | 'cancel'
  | 'resume'
  | 'delete'
  | 'list'
  | 'submitted'
  | 'due'
  | 'late'
  | 'expired'
  | 'pending'
  | 'counts'
  | 'events'
  | 'record'
  | 'replace'
  | 'follow'
  | 'followed'

/** The scripts; each is one atomic change or read. */
const SCRIPTS_LUA: Readonly<Record<ScriptName, string>> = {
  submit: `
local id, name, version, input, at, durable, tenant, priority, tags = unpack(ARGV, 1, 9)
if redis.call('EXISTS', chatKey(id)) == 1 then return {0, all(id)} end
local due = at == '' and 0 or tonumber(at)
redis.call('HSET', chatKey(id), 'id', id, 'name', name, 'version', version, 'input', input, 'epoch', 0, 'turn', 0,
  'heard', 0, 'length', 0, 'lease', 0, 'submitted', text(now), 'due', text(due))
if priority ~= '0' then redis.call('HSET', chatKey(id), 'priority', priority) end
if durable ~= '1' then redis.call('HSET', chatKey(id), 'part', 1) end
if tenant ~= '' then redis.call('HSET', chatKey(id), 'tenant', tenant) end
if tags ~= '' then redis.call('HSET', chatKey(id), 'tags', tags) end
for _, index in ipairs(indexes(id)) do redis.call('ZADD', index, text(now), id) end
move(id, 'waiting', due > now and due or atOnce(id))
redis.call('ZADD', key('all'), 0, id)
redis.call('ZADD', key('kind', kindOf(id)), 0, id)
redis.call('SADD', key('kinds'), kindOf(id))
-- The entries with which the chat begins, and behind them its messages.
local last, heard = 13 + 5 * tonumber(ARGV[10] or 0), 0
local asking = ARGV[11] and noteCheckpoint(id, 0, unpack(ARGV, 11, 13)) or 0
for i = 14, last, 5 do
  local identity, json, place, decided, by = unpack(ARGV, i, i + 4)
  redis.call('HSET', key('identities', id), identity, redis.call('RPUSH', key('entries', id), json) - 1)
  if decided == '1' then
    heard = heard + 1
    redis.call('RPUSH', key('decisions', id), json, by, text(now))
    dropQuestion(id, place)
  elseif place ~= '' and (i - 14) / 5 >= asking then addQuestion(id, place, json) end
end
for i = last + 1, #ARGV do redis.call('RPUSH', key('messages', id), ARGV[i]) end
heard = heard + math.max(0, #ARGV - last)
if #ARGV > 10 then
  redis.call('HSET', chatKey(id), 'heard', heard, 'length', redis.call('LLEN', key('entries', id)) - redis.call('LLEN', key('decisions', id)) / 3)
end
-- A part needs no notification: nobody waits for it before its submission.
if durable == '1' then changed(id) else revise(id) end
return {1, all(id)}`,

  // The epoch is at least the time in microseconds, so that none comes twice after a server has lost its last changes.
  claim: `
local id, lease, parent = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local state = get(id, 'state')
local free = false
-- A time in the future was written before the clock was set back, and does not count.
if state == 'waiting' then
  local queued = number(id, 'queued')
  free = number(id, 'due') <= now and (queued + number(id, 'patience') <= now or queued > now)
elseif state == 'suspended' then
  local wakes = number(id, 'wakesAt')
  free = wakes > 0 and wakes <= now
elseif state == 'waiting-to-retry' then
  local queued = number(id, 'queued')
  free = queued <= now or queued > now + number(id, 'patience')
elseif state == 'running' then
  local left = number(id, 'lease') - now
  free = left + number(id, 'patience') <= 0 or left > number(id, 'leased')
end
if not free or get(id, 'ended') then return false end
local epoch = math.max((tonumber(redis.call('GET', key('epoch')) or '') or 0) + 1, micros)
if epoch >= 2 ^ 53 then return 'counter' end
redis.call('SET', key('epoch'), text(epoch))
local count = setbacks(id, state == 'running' and 1 or 0)
local wait = backoff(count)
if number(id, 'length') ~= number(id, 'kept') then noRetry(id) end
redis.call('HSET', chatKey(id), 'epoch', text(epoch), 'lease', text(now + lease), 'leased', text(lease),
  'setbacks', count, 'kept', number(id, 'length'), 'patience', wait)
redis.call('HDEL', chatKey(id), 'wakesAt')
move(id, 'running', now + lease + wait)
revise(id)
local first, used = number(id, 'firstEntry'), number(id, 'messagesBefore')
return {all(id), redis.call('LRANGE', key('entries', id), first, -1), redis.call('LRANGE', key('messages', id), used, -1),
  state == 'running' and 1 or 0, redis.call('HLEN', key('identities', id)) - first, parent ~= '' and not open(parent) and 1 or 0, text(now)}`,

  renew: `
local still = {}
for i = 2, #ARGV, 2 do
  local id = ARGV[i]
  if held(id, ARGV[i + 1]) then
    local lease = now + tonumber(ARGV[1])
    redis.call('HSET', chatKey(id), 'lease', text(lease), 'leased', ARGV[1])
    redis.call('ZADD', key('due', kindOf(id)), text(lease + number(id, 'patience')), id)
    table.insert(still, id)
  end
end
return still`,

  append: `
local id, epoch, seq, events = unpack(ARGV, 1, 4)
if not held(id, epoch) then return false end
local count, done, given = (#ARGV - 7) / 3, 0, {}
for i = 8, #ARGV, 3 do
  if given[ARGV[i]] then return false end
  given[ARGV[i]] = true
  local known = redis.call('HGET', key('identities', id), ARGV[i])
  if known then
    if redis.call('LINDEX', key('entries', id), known) ~= ARGV[i + 1] then return false end
    done = done + 1
  end
end
-- The command was sent again after its answer was lost.
if done > 0 then return done == count and get(id, 'heard') end
if get(id, 'length') ~= seq then return false end
local asking = noteCheckpoint(id, redis.call('LLEN', key('entries', id)), unpack(ARGV, 5, 7))
for i = 8, #ARGV, 3 do
  local identity, json, place = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local length = redis.call('RPUSH', key('entries', id), json)
  redis.call('HSET', key('identities', id), identity, length - 1)
  if place ~= '' and (i - 8) / 3 >= asking then addQuestion(id, place, json) end
end
redis.call('HINCRBY', chatKey(id), 'length', count)
if events ~= '' then log(id, events) end
return get(id, 'heard')`,

  finish: `
local id, epoch, state, outcome, events = unpack(ARGV)
if not held(id, epoch) then return 0 end
if events then log(id, events) end
finish(id, state, outcome)
return 1`,

  suspend: `
local id, epoch, heard, wakes = unpack(ARGV)
if not held(id, epoch) then return false end
redis.call('HSET', chatKey(id), 'setbacks', 0, 'patience', 0)
redis.call('HDEL', chatKey(id), 'reason', 'queued')
noRetry(id)
if get(id, 'heard') ~= heard then again(id)
elseif wakes then
  redis.call('HSET', chatKey(id), 'wakesAt', wakes)
  redis.call('HINCRBY', chatKey(id), 'turn', 1)
  move(id, 'suspended', tonumber(wakes))
else move(id, 'suspended') end
changed(id)
return all(id)`,

  release: `
local id, epoch = unpack(ARGV)
if not held(id, epoch) then return false end
redis.call('HSET', chatKey(id), 'patience', 0)
again(id)
changed(id)
return all(id)`,

  putOff: `
local id, epoch, reason, delay, kind = unpack(ARGV)
if not held(id, epoch) then return false end
if delay then
  local isRow = number(id, 'length') == number(id, 'kept')
  local retries = (isRow and number(id, 'retries') or 0) + 1
  local since = isRow and get(id, 'retrySince') or text(now)
  local at = now + tonumber(delay)
  redis.call('HSET', chatKey(id), 'queued', text(at), 'patience', delay, 'setbacks', setbacks(id, 0), 'kept', number(id, 'length'),
    'reason', reason, 'retries', retries, 'retrySince', since, 'retryKind', kind)
  redis.call('HINCRBY', chatKey(id), 'turn', 1)
  move(id, 'waiting-to-retry', at)
  changed(id)
  return all(id)
end
local count = setbacks(id, 1)
local wait = backoff(count)
noRetry(id)
redis.call('HSET', chatKey(id), 'queued', text(now), 'patience', wait, 'setbacks', count, 'kept', number(id, 'length'),
  'reason', reason)
again(id)
if wait > 0 then redis.call('ZADD', key('due', kindOf(id)), text(now + wait), id) end
changed(id)
return all(id)`,

  decide: `
local id, place, identity, json, by, name = unpack(ARGV)
if done(name) then return all(id) end
if not open(id) then return 'ended' end
if redis.call('HEXISTS', key('identities', id), identity) == 1 then return 'known' end
local length = redis.call('RPUSH', key('entries', id), json)
redis.call('HSET', key('identities', id), identity, length - 1)
redis.call('RPUSH', key('decisions', id), json, by, text(now))
dropQuestion(id, place)
note(name)
return wake(id)`,

  send: `
local id, message, name, given = unpack(ARGV)
if done(name) then return all(id) end
local known = given and redis.call('HGET', key('sent', id), given)
if known then return 'known ' .. known end
if not open(id) then return 'ended' end
redis.call('RPUSH', key('messages', id), message)
if given then redis.call('HSET', key('sent', id), given, message) end
note(name)
return wake(id)`,

  cancel: `
local id, outcome, name = unpack(ARGV)
if done(name) then return all(id) end
if not open(id) then return 'ended' end
finish(id, 'cancelled', outcome)
note(name)
return all(id)`,

  // The end of the chat has dropped its open questions.
  resume: `
local id, reason, name = unpack(ARGV)
if done(name) then return all(id) end
local state = get(id, 'state')
if state ~= 'failed' and state ~= 'waiting-to-retry' then return false end
redis.call('HSET', chatKey(id), 'patience', 0, 'setbacks', 0, 'reason', reason)
redis.call('HDEL', chatKey(id), 'ended', 'outcome', 'queued')
noRetry(id)
redis.call('ZREM', key('ended'), id)
if state == 'failed' then
  for _, json in ipairs(redis.call('LRANGE', key('entries', id), number(id, 'firstEntry'), -1)) do
    local isRead, entry = pcall(cjson.decode, json)
    if isRead and type(entry) == 'table' and entry.kind == 'question' and
      redis.call('HEXISTS', key('identities', id), cjson.encode({entry.place, 'decision'})) == 0 then
      addQuestion(id, entry.place, json)
    end
  end
end
again(id)
changed(id)
note(name)
return all(id)`,

  delete: `
local id = ARGV[1]
local known = redis.call('EXISTS', chatKey(id))
if known == 1 then
  if open(id) then return 0 end
  move(id)
  redis.call('ZREM', key('kind', kindOf(id)), id)
  for _, index in ipairs(indexes(id)) do redis.call('ZREM', index, id) end
end
-- Also for a damaged chat.
redis.call('ZREM', key('all'), id)
redis.call('ZREM', key('ended'), id)
redis.call('ZREM', key('followers'), id)
redis.call('HDEL', key('revisions'), id)
redis.call('DEL', chatKey(id), key('entries', id), key('identities', id), key('messages', id), key('decisions', id),
  key('sent', id), key('asks', id), key('events', id))
return known`,

  list: `
local from, after, limit = unpack(ARGV)
local ids = redis.call('ZRANGEBYLEX', P .. ':' .. from, after, '+', 'LIMIT', 0, limit)
for i, id in ipairs(ids) do ids[i] = all(id) end
return ids`,

  // Reads the index of a tag, of a tenant or of all chats from a place on, and leaves out what does not fit. It reads at most
  // some chats, and returns the place behind the last one: a filter that few fit does not stop the server.
  submitted: `
local index, order, tenant, state, name, version, since, till, time, id, limit = unpack(ARGV)
local isNewest = order == 'newest'
local found, read, last = {}, 0, nil
local from = time
if time == '' then from = isNewest and (till == '' and '+inf' or '(' .. till) or (since == '' and '-inf' or since) end
local to = isNewest and (since == '' and '-inf' or since) or (till == '' and '+inf' or '(' .. till)
local command = isNewest and 'ZREVRANGEBYSCORE' or 'ZRANGEBYSCORE'
local offset = 0
local function fits(other)
  return (tenant == '' or get(other, 'tenant') == tenant) and (state == '' or get(other, 'state') == state)
    and (name == '' or (get(other, 'name') == name and get(other, 'version') == version))
end
repeat
  local page = redis.call(command, P .. ':' .. index, from, to, 'WITHSCORES', 'LIMIT', offset, 100)
  for n = 1, #page, 2 do
    local isBehind = time == '' or page[n + 1] ~= time or (isNewest and page[n] < id) or (not isNewest and page[n] > id)
    if isBehind and #found < tonumber(limit) then
      if fits(page[n]) then table.insert(found, all(page[n])) end
      last = {page[n + 1], page[n]}
    end
  end
  offset, read = offset + #page / 2, read + #page / 2
until #page == 0 or #found >= tonumber(limit) or read >= 2000
return {found, read >= 2000 and #found < tonumber(limit) and last or false}`,

  due: `
local limit, found = tonumber(ARGV[1]), {}
for i = 2, #ARGV do
  local of = redis.call('ZRANGEBYSCORE', key('due', ARGV[i]), '-inf', text(now), 'WITHSCORES', 'LIMIT', 0, limit)
  for n = 1, #of, 2 do
    local state = get(of[n], 'state')
    if state == 'waiting' or state == 'waiting-to-retry' or state == 'running' or get(of[n], 'wakesAt') then
      table.insert(found, {id = of[n], since = tonumber(of[n + 1])})
    else redis.call('ZREM', key('due', ARGV[i]), of[n]) end
  end
end
table.sort(found, function(a, b) return a.since < b.since end)
local ids = {}
for i = 1, math.min(limit, #found) do ids[i] = all(found[i].id) end
return ids`,

  // Chats whose time came not long ago, and that nobody has claimed: those that may run at once have scores below all times.
  late: `
local since, till, ids = text(now - tonumber(ARGV[1])), text(now - tonumber(ARGV[2])), {}
for i = 3, #ARGV do
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', key('due', ARGV[i]), since, till, 'LIMIT', 0, 100)) do
    table.insert(ids, all(id))
  end
end
return ids`,

  expired: `
local seconds, limit = unpack(ARGV)
local ids = redis.call('ZRANGEBYSCORE', key('ended'), '-inf', text(now - seconds * 1000), 'LIMIT', 0, limit)
for i, id in ipairs(ids) do ids[i] = all(id) end
return ids`,

  pending: `
local after, limit = ARGV[1], tonumber(ARGV[2])
local found, last = {}, after
repeat
  local page = redis.call('ZRANGEBYSCORE', key('questions'), '(' .. last, '+inf', 'LIMIT', 0, limit - #found)
  for _, n in ipairs(page) do
    local question = redis.call('HGET', key('question'), n)
    if question then table.insert(found, {n, question}) else redis.call('ZREM', key('questions'), n) end
    last = n
  end
until #page == 0 or #found == limit
return found`,

  counts: `
local counts = {}
for _, kind in ipairs(redis.call('SMEMBERS', key('kinds'))) do
  for _, state in ipairs(ARGV) do
    local count = redis.call('ZCARD', key('kind', kind, state))
    if count > 0 then table.insert(counts, {kind, state, count}) end
  end
end
return counts`,

  // A client sends a script again when a connection ended before the answer: a batch is added once.
  events: `
local id, epoch, batch, events = unpack(ARGV)
if not held(id, epoch) then return false end
if get(id, 'batch') ~= batch then
  log(id, events)
  redis.call('HSET', chatKey(id), 'batch', batch)
end
return followed(id) and 1 or 0`,

  follow: `
local ids, followers = {unpack(ARGV, 2)}, {}
for i, known in ipairs(redis.call('ZMSCORE', key('all'), unpack(ids))) do
  if known then
    table.insert(followers, text(now + tonumber(ARGV[1])))
    table.insert(followers, ids[i])
  end
end
redis.call('ZREMRANGEBYSCORE', key('followers'), '-inf', text(now))
if #followers > 0 then redis.call('ZADD', key('followers'), unpack(followers)) end
return 1`,

  record: `
local found = redis.call('HMGET', key('record', ARGV[1]), 'version', 'json')
return {found[1] or '0', found[2], text(now)}`,

  // The version is at least the time in microseconds, so that none comes twice after a server has lost its last changes.
  replace: `
local id, version, json = unpack(ARGV)
local found = redis.call('HMGET', key('record', id), 'version', 'json')
local known = found[1] or '0'
if known ~= version then return {known, found[2], text(now)} end
if json then redis.call('HSET', key('record', id), 'version', text(math.max(tonumber(known) + 1, micros)), 'json', json)
else redis.call('DEL', key('record', id)) end
return 1`,
  followed: `
local ids = {}
for i, score in ipairs(redis.call('ZMSCORE', key('followers'), unpack(ARGV))) do
  if score and tonumber(score) > now then table.insert(ids, ARGV[i]) end
end
return ids`,
}

/** Returns the full text of a script. */
export const scriptText = (name: ScriptName): string => PRELUDE_LUA + SCRIPTS_LUA[name]
