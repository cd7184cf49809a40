#pragma once

// A structure that contains its own address, as a small string or a node of a list of C++ may. Its constructors keep the
// address right. A move that copies the bytes breaks it, and the next constructor notices that.
struct __attribute__((swift_attr("@Sendable"), swift_attr("safe"))) SelfPointing {
  long number;

  explicit SelfPointing(long number) : number(number), self(this) {}
  SelfPointing(const SelfPointing &other) : number(other.number), self(other.ifIntact(this)) {}
  SelfPointing(SelfPointing &&other) : number(other.number), self(other.ifIntact(this)) {}
  ~SelfPointing() {}

  SelfPointing &operator=(const SelfPointing &other) {
    number = other.number;
    self = other.ifIntact(this);
    return *this;
  }

  bool isIntact() const { return self == this; }

private:
  const SelfPointing *self;

  // A copy of a broken structure is broken.
  const SelfPointing *ifIntact(const SelfPointing *copy) const { return isIntact() ? copy : nullptr; }
};
