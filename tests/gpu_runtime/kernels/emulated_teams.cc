#include "tests/gpu_runtime/kernels/emulated_teams.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <semaphore>
#include <thread>
#include <utility>

#include "tests/oracle/random.h"

namespace bufplan::runtime {

// The threads hand the right to run to each other by way of the scheduler, which is the caller's thread.
class Emulation {
 public:
  Emulation(const EmulationOptions& options, int64_t items, const std::function<void(EmulatedTeam&, int64_t)>& run)
      : options_(options), run_(run), rng_(options.seed) {
    items_.resize(static_cast<size_t>(items));
    std::iota(items_.begin(), items_.end(), 0);
    for (size_t i = items_.size(); i > 1; --i) std::swap(items_[i - 1], items_[rng_.Below(i)]);
    teams_.resize(static_cast<size_t>(std::min<int64_t>(options.teams, items)));
    for (Team& t : teams_) t.given.resize(static_cast<size_t>(options.team_size));
    const size_t size = static_cast<size_t>(options.team_size);
    for (size_t i = 0; i < teams_.size() * size; ++i) {
      threads_.push_back(std::make_unique<Thread>());
      threads_.back()->team = i / size;
    }
    // They read the list from now on.
    for (size_t i = 0; i < threads_.size(); ++i) {
      threads_[i]->thread = std::thread(&Emulation::Work, this, i, static_cast<int32_t>(i % size));
    }
  }
  ~Emulation() {
    for (const auto& t : threads_) t->thread.join();
  }

  void Run() {
    for (size_t t = 0; t < teams_.size(); ++t) Start(t);
    while (true) {
      std::vector<size_t> ready;
      for (size_t i = 0; i < threads_.size(); ++i) {
        if (threads_[i]->ready) ready.push_back(i);
      }
      if (ready.empty()) return;
      Thread& next = *threads_[ready[rng_.Below(ready.size())]];
      next.ready = false;
      next.go.release();
      back_.acquire();
    }
  }

  int32_t team_size() const { return options_.team_size; }

  // Of the thread that runs now.
  void Barrier(size_t team, int32_t rank) {
    Thread& self = *threads_[team * static_cast<size_t>(options_.team_size) + static_cast<size_t>(rank)];
    if (options_.team_size == 1) return;
    if (++teams_[team].arrived == options_.team_size) Wake(team);
    back_.release();
    self.go.acquire();
  }
  std::vector<float>& given(size_t team) { return teams_[team].given; }

 private:
  struct Thread {
    std::thread thread;
    std::binary_semaphore go{0};
    size_t team = 0;
    bool ready = false;
  };
  struct Team {
    int64_t item = -1;  // below 0: no more
    int32_t arrived = 0;
    std::vector<float> given;
  };

  void Wake(size_t team) {
    teams_[team].arrived = 0;
    for (const auto& t : threads_) t->ready = t->ready || t->team == team;
  }
  void Start(size_t team) {
    teams_[team].item = -1;
    if (next_item_ < items_.size()) teams_[team].item = items_[next_item_++];
    Wake(team);
  }

  void Work(size_t index, int32_t rank) {
    Thread& self = *threads_[index];
    self.go.acquire();
    Team& team = teams_[self.team];
    EmulatedTeam emulated(*this, static_cast<int32_t>(self.team), rank);
    while (team.item >= 0) {
      run_(emulated, team.item);
      if (++team.arrived == options_.team_size) Start(self.team);
      back_.release();
      self.go.acquire();
    }
    back_.release();
  }

  const EmulationOptions options_;
  const std::function<void(EmulatedTeam&, int64_t)>& run_;
  Rng rng_;
  std::vector<int64_t> items_;
  size_t next_item_ = 0;
  std::vector<Team> teams_;
  std::vector<std::unique_ptr<Thread>> threads_;
  std::binary_semaphore back_{0};
};

int32_t EmulatedTeam::size() const { return emulation_.team_size(); }
void EmulatedTeam::Sync() { emulation_.Barrier(static_cast<size_t>(team_), rank_); }

std::vector<float> EmulatedTeam::Exchange(float x) {
  std::vector<float>& given = emulation_.given(static_cast<size_t>(team_));
  given[static_cast<size_t>(rank_)] = x;
  Sync();
  std::vector<float> all = given;
  Sync();
  return all;
}
float EmulatedTeam::Sum(float x) {
  const std::vector<float> all = Exchange(x);
  return std::accumulate(all.begin(), all.end(), 0.0f);
}
float EmulatedTeam::Max(float x) {
  const std::vector<float> all = Exchange(x);
  return *std::max_element(all.begin(), all.end());
}

void RunEmulated(const EmulationOptions& options, int64_t items,
                 const std::function<void(EmulatedTeam&, int64_t)>& run) {
  if (items <= 0) return;
  Emulation emulation(options, items, run);
  emulation.Run();
}

}  // namespace bufplan::runtime
