/* test_turns.c - whose request is next, and which connection goes when there are too
 * many. */
#include "unit.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../../src/serve/peers.h"

/* ---- turns ---- */

static atomic_int done[4], gate;

static void count_one(void *ctx) {
  atomic_fetch_add(&done[(intptr_t)ctx], 1);
}

static void take_long(void *ctx) {
  usleep(60000);
  count_one(ctx);
}

static void wait_for_gate(void *ctx) {
  while (!atomic_load(&gate))
    usleep(1000);
  count_one(ctx);
}

/* What runs in work order is written down. */
static char order[64];
static atomic_int norder;
static void note(void *ctx) {
  order[atomic_fetch_add(&norder, 1)] = (char)(intptr_t)ctx;
  while (!atomic_load(&gate))
    usleep(1000);
}

static char refused[64];
static atomic_int nrefused;
static void refuse(void *ctx) {
  refused[atomic_fetch_add(&nrefused, 1)] = (char)(intptr_t)ctx;
}

static void submit(ww_turns *t, ww_share *s, void (*work)(void *ctx), intptr_t what) {
  ww_turns_submit(t, s, work, refuse, (void *)what);
}

static void reset(void) {
  for (int k = 0; k < 4; k++)
    atomic_store(&done[k], 0);
  atomic_store(&gate, 0);
  atomic_store(&norder, 0);
  memset(order, 0, sizeof order);
  atomic_store(&nrefused, 0);
  memset(refused, 0, sizeof refused);
}

static void who_used_much_waits_for_the_others(void **state) {
  (void)state;
  reset();
  ww_turns *t = ww_turns_new(1, 64);
  ww_share *heavy = ww_share_new(0), *light = ww_share_new(0);
  submit(t, heavy, note, 'h'); /* takes until the gate opens */
  while (!atomic_load(&norder))
    usleep(1000);
  for (int k = 0; k < 3; k++)
    submit(t, heavy, note, 'h');
  for (int k = 0; k < 20; k++)
    submit(t, light, note, 'l');
  usleep(300000);
  atomic_store(&gate, 1);
  ww_turns_free(t);
  ww_share_drop(heavy);
  ww_share_drop(light);
  assert_string_equal(
      order, "hllllllllllllllllllllhhh"); /* they came last, and took next to nothing */
}

static void one_client_leaves_a_worker_to_others(void **state) {
  (void)state;
  reset();
  ww_turns *t = ww_turns_new(3, 64);
  ww_share *greedy = ww_share_new(0), *other = ww_share_new(0);
  for (int k = 0; k < 8; k++)
    submit(t, greedy, wait_for_gate, 0);
  submit(t, other, count_one, 1);
  for (int k = 0; k < 2000 && !atomic_load(&done[1]); k++)
    usleep(1000);
  assert_int_equal(atomic_load(&done[1]),
                   1); /* while all that the greedy one may have is held */
  assert_int_equal(atomic_load(&done[0]), 0);
  atomic_store(&gate, 1);
  ww_turns_free(t);
  assert_int_equal(atomic_load(&done[0]), 8);
  ww_share_drop(greedy);
  ww_share_drop(other);
}

static void a_full_queue_refuses_and_the_end_finishes(void **state) {
  (void)state;
  reset();
  ww_turns *t = ww_turns_new(1, 2);
  ww_share *s = ww_share_new(0);
  for (int k = 0; k < 3; k++)
    submit(t, s, take_long, 0);
  assert_int_equal(nrefused, 0);
  submit(t, s, take_long, 0);
  assert_int_equal(nrefused, 1);
  ww_turns_finish(t);
  assert_int_equal(atomic_load(&done[0]), 3);
  submit(t, s, take_long, 0);
  assert_int_equal(nrefused, 2);
  ww_turns_free(t);
  ww_share_drop(s);
}

/* One worker that is held until the gate opens. `known` has had an answer before, and
 * others since: whatever its own took on a busy machine is forgotten. */
static ww_turns *held_worker(uint32_t queue, ww_share *known, ww_share *holder) {
  reset();
  ww_turns *t = ww_turns_new(1, queue);
  for (int k = 0; k < 100; k++) {
    ww_share *s = k ? ww_share_new(0) : ww_share_hold(known);
    submit(t, s, count_one, 0);
    while (atomic_load(&done[0]) <= k)
      usleep(100);
    ww_share_drop(s);
  }
  submit(t, holder, note, '.');
  while (!atomic_load(&norder))
    usleep(1000);
  return t;
}

static void who_had_an_answer_comes_before_newcomers(void **state) {
  (void)state;
  ww_share *known = ww_share_new(0), *holder = ww_share_new(0), *fresh[8];
  ww_turns *t = held_worker(64, known, holder);
  for (int k = 0; k < 8; k++)
    submit(t, fresh[k] = ww_share_new(0), note, 'f');
  submit(t, known, note, 'k');
  atomic_store(&gate, 1);
  ww_turns_free(t);
  assert_string_equal(order, ".kffffffff"); /* though it came last */
  for (int k = 0; k < 8; k++)
    ww_share_drop(fresh[k]);
  ww_share_drop(known);
  ww_share_drop(holder);
}

static void a_full_queue_refuses_who_is_furthest_behind(void **state) {
  (void)state;
  ww_share *known = ww_share_new(0), *holder = ww_share_new(0), *fresh[4];
  ww_turns *t = held_worker(3, known, holder);
  for (int k = 0; k < 4; k++)
    submit(t, fresh[k] = ww_share_new(0), note, 'a' + k);
  assert_string_equal(refused, "d"); /* no better than those who wait: the last goes */
  submit(t, known, note, 'k');
  assert_string_equal(refused, "dc");
  atomic_store(&gate, 1);
  ww_turns_free(t);
  assert_string_equal(order, ".kab");
  for (int k = 0; k < 4; k++)
    ww_share_drop(fresh[k]);
  ww_share_drop(known);
  ww_share_drop(holder);
}

/* ---- pace: no clock is asked, so the machine's load does not matter ---- */

static void who_asks_as_people_do_is_never_held_in_a_flood(void **state) {
  (void)state;
  ww_turns *t = ww_turns_new(1, 8);
  ww_share *person = ww_share_new(100), *flood[300];
  double next[300], held = 0;
  int passed = 0, asked = 0;
  for (int k = 0; k < 300; k++) {
    flood[k] = ww_share_new(100);
    next[k] = 100;
  }
  for (double now = 100; now < 120; now += 0.001) {
    for (int k = 0; k < 300; k++)
      if (now >= next[k]) { /* again as soon as it has its answer */
        double wait = ww_turns_pause(t, flood[k], now);
        assert_true(wait <= WW_HELD_S);
        next[k] = now + wait + 0.001;
        passed++;
      }
    if (now >= 100.3 + asked) { /* one a second */
      held += ww_turns_pause(t, person, now);
      asked++;
    }
  }
  assert_int_equal(asked, 20);
  assert_true(held == 0);
  /* 300 a second that are let through, and 2 a second of each connection; 300,000 a
   * second would be asked */
  assert_in_range(passed, 20 * 300, 20 * (300 + 300 * 3));
  /* who opens a connection for each request, as curl does, does not wait either; its
   * second one would */
  ww_share *curl = ww_share_new(120);
  for (int k = 0; k < 300; k++)
    ww_turns_pause(t, flood[k], 120);
  assert_true(ww_turns_pause(t, curl, 120) == 0);
  assert_true(ww_turns_pause(t, curl, 120) > 0);
  for (int k = 0; k < 300; k++)
    ww_share_drop(flood[k]);
  ww_share_drop(person);
  ww_share_drop(curl);
  ww_turns_free(t);
}

static void a_busy_client_alone_is_never_held(void **state) {
  (void)state;
  ww_turns *t = ww_turns_new(1, 8);
  ww_share *script = ww_share_new(100);
  for (int k = 0; k < 2000; k++) /* 200 a second for ten seconds */
    assert_true(ww_turns_pause(t, script, 100 + 0.005 * k) == 0);
  ww_share_drop(script);
  ww_turns_free(t);
}

/* ---- peers ---- */

typedef struct {
  int ours, theirs;
  ww_peer *p;
} pair;

static pair join(ww_peers *s, const char *address) {
  struct sockaddr_in a = {.sin_family = AF_INET};
  int fds[2];
  inet_pton(AF_INET, address, &a.sin_addr);
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
  return (pair){fds[0], fds[1], ww_peer_join(s, fds[0], (struct sockaddr *)&a)};
}

static bool is_shut(const pair *c) {
  char b;
  return recv(c->theirs, &b, 1, MSG_DONTWAIT) == 0;
}

static void leave(ww_peers *s, pair *c) {
  ww_peer_leave(s, c->p);
  close(c->ours);
  close(c->theirs);
}

static const ww_peer_limits wide = {.most = 100,
                                    .of_address = 100,
                                    .head_s = 0.4,
                                    .idle_s = 1.2,
                                    .body_s = 0.4,
                                    .answer_s = 0.4,
                                    .bytes_per_s = 1000};

static void each_stage_has_its_time(void **state) {
  (void)state;
  ww_peers *s = ww_peers_new(&wide);
  pair head = join(s, "127.0.0.1"), idle = join(s, "127.0.0.1"),
       body = join(s, "127.0.0.1"), flowing = join(s, "127.0.0.1"),
       busy = join(s, "127.0.0.1"), answer = join(s, "127.0.0.1"),
       stream = join(s, "127.0.0.1");
  ww_peer_at(s, idle.p, WW_PEER_ANSWER, 10);
  ww_peer_at(s, idle.p, WW_PEER_HEAD, 0);
  ww_peer_at(s, body.p, WW_PEER_BODY, 100);
  ww_peer_at(s, flowing.p, WW_PEER_BODY, 5000);
  ww_peer_at(s, busy.p, WW_PEER_BUSY, 0);
  ww_peer_at(s, answer.p, WW_PEER_ANSWER, 100);
  ww_peer_at(s, stream.p, WW_PEER_ANSWER, SIZE_MAX);
  usleep(1000000);
  assert_true(is_shut(&head) && is_shut(&body) && is_shut(&answer));
  assert_false(is_shut(&idle) || is_shut(&flowing) || is_shut(&busy) ||
               is_shut(&stream));
  usleep(800000);
  assert_true(is_shut(&idle));
  assert_false(is_shut(&flowing) || is_shut(&busy) || is_shut(&stream));
  pair *all[] = {&head, &idle, &body, &flowing, &busy, &answer, &stream};
  for (int k = 0; k < 7; k++)
    leave(s, all[k]);
  ww_peers_free(s);
}

static void serve_one(ww_peers *s, ww_peer *p) {
  ww_peer_at(s, p, WW_PEER_BUSY, 0);
  ww_peer_at(s, p, WW_PEER_ANSWER, 10);
  ww_peer_at(s, p, WW_PEER_HEAD, 0);
}

static void a_full_table_closes_who_waits_longest(void **state) {
  (void)state;
  ww_peer_limits l = wide;
  l.most = 4;
  l.head_s = l.idle_s = l.body_s = l.answer_s = 60;
  ww_peers *s = ww_peers_new(&l);
  pair c[16];
  for (int k = 0; k < 4; k++)
    c[k] = join(s, "127.0.0.1");
  ww_peer_at(s, c[0].p, WW_PEER_BUSY, 0);
  serve_one(s, c[1].p);
  c[4] = join(
      s,
      "127.0.0.1"); /* three of four ask: the first of them goes, not who was served */
  assert_true(is_shut(&c[2]));
  c[5] = join(s, "127.0.0.1");
  assert_true(is_shut(&c[3]));
  ww_peer_at(s, c[4].p, WW_PEER_BODY, 0); /* a moment after the other came */
  c[6] = join(s, "127.0.0.1");
  assert_true(is_shut(&c[5]));
  assert_false(is_shut(&c[0]) || is_shut(&c[1]) || is_shut(&c[4]) || is_shut(&c[6]));
  serve_one(s, c[4].p);
  c[7] = join(
      s,
      "127.0.0.1"); /* two of four ask: now who is idle goes, the longest idle first */
  assert_true(is_shut(&c[1]));
  serve_one(s, c[6].p);
  ww_peer_at(s, c[6].p, WW_PEER_ANSWER, 10);
  ww_peer_at(s, c[7].p, WW_PEER_BUSY, 0);
  usleep(1100000);
  c[8] = join(
      s, "127.0.0.1"); /* an answer that nobody takes is less than an idle connection */
  assert_true(is_shut(&c[6]));
  assert_false(is_shut(&c[4]) || is_shut(&c[8]));
  ww_peer_at(s, c[8].p, WW_PEER_BUSY, 0);
  ww_peer_at(s, c[4].p, WW_PEER_BUSY, 0);
  c[9] = join(s, "127.0.0.1"); /* all others are being answered */
  assert_true(is_shut(&c[9]));
  assert_false(is_shut(&c[0]) || is_shut(&c[4]) || is_shut(&c[7]) || is_shut(&c[8]));
  for (int k = 0; k < 10; k++)
    leave(s, &c[k]);
  ww_peers_free(s);
}

static void went_on(void *ctx, bool shut) {
  atomic_store((atomic_int *)ctx, shut ? 2 : 1);
}

static void who_is_held_goes_on_in_time_or_goes_first(void **state) {
  (void)state;
  ww_peer_limits l = wide;
  l.most = 4;
  l.head_s = l.idle_s = 60;
  ww_peers *s = ww_peers_new(&l);
  pair c[6];
  static atomic_int state_of[6];
  for (int k = 0; k < 4; k++) {
    c[k] = join(s, "127.0.0.1");
    serve_one(s, c[k].p);
  }
  ww_peer_hold(s, c[1].p, 0.05, went_on, &state_of[1]);
  for (int k = 0; k < 5000 && !state_of[1]; k++)
    usleep(1000);
  ww_peer_at(s, c[1].p, WW_PEER_HEAD, 0);
  assert_int_equal(state_of[1], 1);
  ww_peer_hold(s, c[2].p, 1e6, went_on, &state_of[2]);
  c[4] = join(s, "127.0.0.1"); /* others were idle for longer, but they have a record */
  assert_true(is_shut(&c[2]));
  assert_int_equal(state_of[2], 2);
  assert_false(is_shut(&c[0]) || is_shut(&c[1]) || is_shut(&c[3]) || is_shut(&c[4]));
  ww_peer_hold(s, c[3].p, 1e6, went_on, &state_of[3]);
  ww_peers_release(s);
  assert_int_equal(state_of[3], 1);
  ww_peer_hold(s, c[0].p, 1e6, went_on, &state_of[0]);
  assert_int_equal(state_of[0], 1);
  for (int k = 0; k < 5; k++)
    leave(s, &c[k]);
  ww_peers_free(s);
}

static void a_quick_answer_is_no_record(void **state) {
  (void)state;
  ww_peer_limits l = wide;
  l.most = 3;
  l.head_s = l.idle_s = 60;
  ww_peers *s = ww_peers_new(&l);
  pair c[4];
  for (int k = 0; k < 3; k++)
    c[k] = join(s, "127.0.0.1");
  serve_one(s, c[0].p); /* the longest idle, but a worker computed for it */
  serve_one(s, c[2].p);
  ww_peer_at(s, c[1].p, WW_PEER_ANSWER, 10);
  ww_peer_at(s, c[1].p, WW_PEER_HEAD, 0);
  c[3] = join(s, "127.0.0.1");
  assert_true(is_shut(&c[1]));
  assert_false(is_shut(&c[0]) || is_shut(&c[2]) || is_shut(&c[3]));
  for (int k = 0; k < 4; k++)
    leave(s, &c[k]);
  ww_peers_free(s);
}

/* Many newcomers to a full table: a few hundred a second take the place of others. */
static void a_full_table_changes_slowly(void **state) {
  (void)state;
  enum { N = 300 };
  ww_peer_limits l = wide;
  l.most = 4;
  l.head_s = 60;
  ww_peers *s = ww_peers_new(&l);
  static pair c[N];
  int shut = 0;
  double from = ww_now();
  for (int k = 0; k < N; k++)
    c[k] = join(s, "127.0.0.1");
  for (int k = 0; k < N; k++)
    shut += is_shut(&c[k]);
  assert_true(shut >= 16 && shut <= 16 + 300 * (ww_now() - from) + 1);
  for (int k = 0; k < 10000 && shut < N - 4; k++) { /* nobody is forgotten */
    usleep(5000);
    shut = 0;
    for (int i = 0; i < N; i++)
      shut += is_shut(&c[i]);
  }
  assert_int_equal(shut, N - 4);
  for (int k = 0; k < N; k++)
    leave(s, &c[k]);
  ww_peers_free(s);
}

static void an_address_has_its_part_of_the_table(void **state) {
  (void)state;
  ww_peer_limits l = wide;
  l.of_address = 2;
  l.head_s = 60;
  ww_peers *s = ww_peers_new(&l);
  pair other = join(s, "192.0.2.7"), a = join(s, "192.0.2.1"), b = join(s, "192.0.2.1"),
       c = join(s, "192.0.2.1");
  assert_true(is_shut(&a));
  assert_false(is_shut(&other) || is_shut(&b) || is_shut(&c));
  assert_ptr_equal(ww_peer_share(b.p),
                   ww_peer_share(c.p)); /* one client, whatever it opens */
  assert_ptr_not_equal(ww_peer_share(b.p), ww_peer_share(other.p));
  pair x = join(s, "127.0.0.1"), y = join(s, "127.0.0.1"), z = join(s, "127.0.0.1");
  assert_false(is_shut(&x) || is_shut(&y) || is_shut(&z));
  assert_ptr_not_equal(ww_peer_share(x.p), ww_peer_share(y.p));
  pair *all[] = {&other, &a, &b, &c, &x, &y, &z};
  for (int k = 0; k < 7; k++)
    leave(s, all[k]);
  ww_peers_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(who_used_much_waits_for_the_others),
      TEST(one_client_leaves_a_worker_to_others),
      TEST(a_full_queue_refuses_and_the_end_finishes),
      TEST(who_had_an_answer_comes_before_newcomers),
      TEST(a_full_queue_refuses_who_is_furthest_behind),
      TEST(who_asks_as_people_do_is_never_held_in_a_flood),
      TEST(a_busy_client_alone_is_never_held),
      TEST(each_stage_has_its_time),
      TEST(a_full_table_closes_who_waits_longest),
      TEST(who_is_held_goes_on_in_time_or_goes_first),
      TEST(a_quick_answer_is_no_record),
      TEST(a_full_table_changes_slowly),
      TEST(an_address_has_its_part_of_the_table),
  };
  return RUN(tests);
}
