#include "SelfPointing.h"
